/** Imports of files. */
import { beginFileImport, chooseInImport, commitFile, readRows } from '../../services/examples/imports/file-imports.ts';
import type { Committed } from '../../services/examples/imports/imports.ts';
import type { Handlers } from '../context.ts';
import { toDecisionType } from '../types/decision-types.ts';

export const importHandlers = {
  'imports.begin': (deps, { caller, body }) => beginFileImport(deps, caller, body),

  'imports.choose': async (deps, { caller, params, body }) => {
    const known = deps.imports.find(caller, params.import_id);
    return { id: known.id, plan: await chooseInImport(deps, caller, known, body) };
  },

  'imports.get': (deps, { caller, params: { import_id: id } }) => ({
    ...{ id, progress: deps.imports.findProgress(caller, id) },
  }),

  'imports.rows': (deps, { caller, params, query }) =>
    readRows(deps, caller, deps.imports.find(caller, params.import_id), query),

  'imports.commit': async (deps, { caller, params: { import_id: id }, body, receipt }) => {
    const toAnswer = ({ type, examples, ids, merge }: Committed) => ({
      ...{ decision_type: toDecisionType(deps, type), examples, example_ids: ids, merge },
    });
    const keep = (committed: Committed) => receipt?.keep(toAnswer(committed));
    return toAnswer(await commitFile(deps, caller, deps.imports.find(caller, id), body, keep));
  },

  'imports.cancel': (deps, { caller, params }) => deps.imports.cancel(deps.imports.find(caller, params.import_id)),
} satisfies Handlers;
