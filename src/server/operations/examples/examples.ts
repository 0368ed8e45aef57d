/** Examples: added, listed, counted, changed, generated, imported, and given away as a file; sample projects. */
import { Readable } from 'node:stream';
import { refuseProblems } from '../../../door/errors/validation-error.ts';
import { mapMaybePromise } from '../../../door/maybe-promise.ts';
import { pick } from '../../../engine/domain/records.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { setFlags } from '../../../engine/examples/fields.ts';
import { fileKinds } from '../../../engine/export/file-kinds.ts';
import { compileReadings } from '../../../engine/readings/readings.ts';
import { hasScope, requireScope } from '../../auth/auth.ts';
import { toCallerId } from '../../auth/caller.ts';
import type { ExampleBulk } from '../../contract/examples/examples.ts';
import { readExampleFields, toExample } from '../../preparation/examples/example-wire.ts';
import { makeExamples, refuseLostDigits, writeRows } from '../../preparation/examples/prepare-examples.ts';
import { LargeBody, WrittenAnswer } from '../../preparation/preparation.ts';
import { mayAddReadings } from '../../services/authors.ts';
import { describeTrained, exportExamples } from '../../services/examples/example-export.ts';
import {
  addExampleRows,
  changeExamples,
  deleteExample,
  findExample,
  toExampleType,
  undoExampleChange,
  updateExample,
} from '../../services/examples/examples.ts';
import { generateExamples } from '../../services/examples/generation.ts';
import { importExamples } from '../../services/examples/imports/example-import.ts';
import { countQueues, countSuspects } from '../../services/examples/labelling/labelling.ts';
import { createFromSample, listSamples } from '../../services/examples/samples.ts';
import { hideLabel, isReadBlind } from '../../services/examples/second-readings.ts';
import { nameCaller, nameReader } from '../../services/releases.ts';
import { addFieldFacts } from '../../services/types/decision-types.ts';
import type { ExampleChange } from '../../store/examples/example-changes.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { type Handlers, toPage } from '../context.ts';
import { toDecisionType } from '../types/decision-types.ts';

const maxReportedProblems = 100;

function toChange(body: ExampleBulk): ExampleChange {
  switch (body.action) {
    case 'delete':
      return 'delete';
    case 'set_decision':
      return { set: 'decision', to: body.decision };
    case 'set_status':
      return { set: 'status', to: body.status };
    default:
      for (const flag of setFlags) if (body.action === `set_${flag}`) return { set: flag, to: body[flag] === true };
      throw new Error(`The bulk action ${body.action} is not handled.`);
  }
}

export const exampleHandlers = {
  'examples.create': async (deps, { type, caller, body, receipt, lostDigits }) => {
    refuseLostDigits(lostDigits ?? []);
    const order = { type: toExampleType(type), nowMs: deps.clock.now() };
    const loc = ['body', 'examples'];
    if (body instanceof LargeBody) {
      const prepared = { ...order, bytes: body.bytes };
      const { rows, answer } = await deps.preparation.run(toCallerId(caller), 'prepareExamples', prepared);
      const written = new WrittenAnswer(answer);
      await addExampleRows(deps, type, rows, loc, () => receipt?.keep(written));
      return written;
    }
    const examples = makeExamples(body, order.type, order.nowMs);
    const answer = examples.map(toExample);
    await addExampleRows(deps, type, writeRows(examples, order), loc, () => receipt?.keep(answer));
    return answer;
  },

  'examples.list': async (deps, { type, query }) => {
    const { page: asked, page_size, sort, page_of, ...filter } = query;
    const part = { page: asked, pageSize: page_size, sort, pageOf: page_of };
    const { examples, total, page } = await deps.exampleLists.readPage(type.id, filter, part);
    return toPage(examples.map(toExample), total, { page, page_size });
  },

  'examples.stats': (deps, { type }) => {
    deps.labelSearches.look(type);
    const { total, labelled, reviewed, synthetic, byOption } = deps.store.examples.computeTotals(type.id);
    const none = Object.fromEntries(type.activeVersion.definition.options.map((option) => [option, 0]));
    return {
      total,
      labelled,
      unlabelled: total - labelled,
      reviewed,
      by_source: { user: total - synthetic, synthetic },
      by_option: { ...none, ...Object.fromEntries(byOption) },
      by_queue: countQueues(deps, type),
      suspects: countSuspects(deps, type),
    };
  },

  'examples.get': (deps, { type, params }) => toExample(findExample(deps, type, params.example_id)),

  'examples.update': (deps, { type, caller, params, body, lostDigits }) => {
    refuseLostDigits(lostDigits ?? []);
    const { status, note, replaces, reader: named, ...request } = body;
    const { definition } = type.activeVersion;
    const { fields, problems } = readExampleFields(request, definition, compileReadings(definition.readings), ['body']);
    refuseProblems(problems.slice(0, maxReportedProblems));
    const update = { ...fields, ...pick(request, setFlags), status, note, replaces };
    const reader = nameReader(deps.store, caller, named);
    // A key that may only label learns nothing of the first label by a change.
    const isBlind = !hasScope(caller, 'read') && isReadBlind(deps, params.example_id);
    if (isBlind && replaces !== undefined) {
      throw new WorkbenchError('conflict', 'This example waits for a second reading; give the label there.');
    }
    const updated = updateExample(deps, type, params.example_id, update, reader);
    return toExample(isBlind ? hideLabel(updated, update.decision ?? null) : updated);
  },

  'examples.delete': (deps, { type, params }) => deleteExample(deps, type, params.example_id),

  'examples.bulk': (deps, { type, caller, body }) => {
    const selection = body.ids === undefined ? { filter: body.filter ?? {} } : { ids: body.ids };
    const changed = changeExamples(deps, type, selection, toChange(body), nameCaller(deps.store, caller));
    return mapMaybePromise(changed, ({ affected, heldOut, undoToken }) => ({
      affected,
      held_out: heldOut,
      undo_token: undoToken,
    }));
  },

  'examples.undo': (deps, { type, caller, body }) =>
    undoExampleChange(deps, type, body.undo_token, nameCaller(deps.store, caller)),

  'examples.cancel': (deps, { type, caller }) => deps.exampleAdditions.cancel(caller, type.id),

  'examples.import': (deps, { type, caller, body, receipt }) =>
    importExamples(deps, toCallerId(caller), type, body, (result) => {
      const pii_fields = result.pii_fields ?? [];
      if (pii_fields.length > 0) requireScope(caller, 'deploy');
      const readings = mayAddReadings(caller, type) ? result.readings : {};
      addFieldFacts(deps, caller, type.id, { readings, pii_fields });
      receipt?.keep(result);
    }),

  'examples.export': async (deps, { type, query }) => {
    const { format, personal, policy_id: policyId = null, ...filter } = query;
    const { extension, contentType } = fileKinds[format];
    const pieces = await exportExamples(deps, type, { format, filter, withPersonal: personal, policyId });
    return {
      download: true,
      contentType,
      fileName: `${type.name}-examples.${extension}`,
      body: Readable.from(pieces, { highWaterMark: 1 }),
    };
  },

  'examples.trained': (deps, { type, query }) => describeTrained(deps, type, query.policy_id),

  'examples.generate': async (deps, { caller, params, body, receipt }) => {
    const examples = await generateExamples(deps, caller, params.decision_type_id, body, (made) =>
      receipt?.keep(made.map(toExample)),
    );
    return examples.map(toExample);
  },

  'samples.list': async (deps) => {
    const samples = await listSamples(deps);
    return samples.map(({ name, title, description, examples }) => ({
      name,
      title,
      description,
      examples: examples.length,
    }));
  },
  'samples.create': async (deps, { caller, params, receipt }) => {
    const keep = (type: DecisionTypeRecord) => receipt?.keep(toDecisionType(deps, type));
    return toDecisionType(deps, await createFromSample(deps, caller, params.name, keep));
  },
} satisfies Handlers;
