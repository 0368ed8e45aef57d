/** Imports of files and in parts. */
import { requireScope } from '../../auth/auth.ts';
import { toCallerId } from '../../auth/caller.ts';
import { makeExamples, toPartAnswer, writeRows } from '../../preparation/examples/prepare-examples.ts';
import { LargeBody, WrittenAnswer } from '../../preparation/preparation.ts';
import { SpilledForm } from '../../preparation/spilled-form.ts';
import { beginFileImport, chooseInImport, commitFile, readRows } from '../../services/examples/imports/file-imports.ts';
import { beginImport, type Committed, commitImport } from '../../services/examples/imports/imports.ts';
import type { Handlers } from '../context.ts';
import { toDecisionType } from '../types/decision-type-wire.ts';

export const importHandlers = {
  'imports.begin': async (deps, { caller, body }) => {
    if (body instanceof SpilledForm) return beginFileImport(deps, caller, body);
    if (body.name !== undefined) requireScope(caller, 'train');
    else if (
      [body.options, body.reason_codes, body.pii_fields, Object.keys(body.readings)].some((added) => added.length > 0)
    ) {
      requireScope(caller, 'deploy');
    }
    const { id } = await beginImport(deps, caller, body);
    return { id, plan: null };
  },

  'imports.put_part': async (deps, { caller, params, body }) => {
    const known = deps.imports.findInParts(caller, params.import_id);
    const order = { type: known.type, nowMs: known.startedAt };
    const keep = (rows: ReturnType<typeof writeRows>) =>
      deps.imports.keepPart(deps.imports.findInParts(caller, known.id), Number(params.part), rows);
    if (body instanceof LargeBody) {
      const prepared = { ...order, bytes: body.bytes, isPart: true };
      const { rows, answer } = await deps.preparation.run(toCallerId(caller), 'prepareExamples', prepared);
      keep(rows);
      return new WrittenAnswer(answer);
    }
    const examples = makeExamples(body, order.type, order.nowMs);
    keep(writeRows(examples, order));
    return toPartAnswer(examples);
  },

  'imports.choose': async (deps, { caller, params, body }) => {
    const known = deps.imports.findOfFile(caller, params.import_id);
    return { id: known.id, plan: await chooseInImport(deps, caller, known, body) };
  },

  'imports.get': (deps, { caller, params: { import_id: id } }) => ({
    ...{ id, progress: deps.imports.findProgress(caller, id) },
  }),

  'imports.rows': (deps, { caller, params, query }) =>
    readRows(deps, caller, deps.imports.findOfFile(caller, params.import_id), query),

  'imports.commit': async (deps, { caller, params: { import_id: id }, body, receipt }) => {
    const toAnswer = ({ type, examples, ids, merge }: Committed) => ({
      ...{ decision_type: toDecisionType(deps, type), examples, example_ids: ids, merge },
    });
    const keep = (committed: Committed) => receipt?.keep(toAnswer(committed));
    return toAnswer(
      body.parts === undefined
        ? await commitFile(deps, caller, deps.imports.findOfFile(caller, id), body, keep)
        : await commitImport(deps, caller, deps.imports.findInParts(caller, id), body.parts, keep),
    );
  },

  'imports.cancel': (deps, { caller, params }) => deps.imports.cancel(deps.imports.find(caller, params.import_id)),
} satisfies Handlers;
