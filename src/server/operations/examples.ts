/** Examples: added, listed, counted, changed, imported. */
import type { ErrorDetail } from '../../engine/errors.ts';
import { refuseProblems } from '../errors/validation-error.ts';
import { findDecisionType } from '../services/decision-types.ts';
import { type ImportSummary, importExamples } from '../services/example-import.ts';
import {
  addExamples,
  changeExamples,
  deleteExample,
  newExample,
  undoExampleChange,
  updateExample,
} from '../services/examples.ts';
import type { ExampleChange } from '../store/example-changes.ts';
import type { Handlers } from './context.ts';
import { readExampleFields, toExample } from './example-wire.ts';
import { toPage } from './pages.ts';

/** Problems that the refusal of many examples lists. */
const maxReportedProblems = 100;
const maxPreviewed = 20;
const maxUnknownDecisions = 100;

export const exampleHandlers = {
  'examples.create': (deps, { caller, params, body, receipt }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const problems: ErrorDetail[] = [];
    const now = deps.clock.now();
    const examples = body.examples.map((request, index) => {
      const loc = ['body', 'examples', index];
      const { fields, problems: found } = readExampleFields(request, type, loc);
      problems.push(...found);
      const { input, decision = null, reasonCodes = [] } = fields;
      if (input === undefined) {
        problems.push({ type: 'missing', loc: [...loc, 'input_payload'], msg: 'input_payload is required' });
      }
      return newExample(deps, type, { input: input ?? {}, decision, reasonCodes }, now);
    });
    refuseProblems(problems.slice(0, maxReportedProblems));
    const answer = examples.map(toExample);
    addExamples(deps, type, examples, ['body', 'examples'], () => receipt?.keep(answer));
    return answer;
  },

  'examples.list': (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { page, page_size, ...filter } = query;
    const { examples, total } = deps.store.examples.page(type.id, filter, page, page_size);
    return toPage(examples.map(toExample), total, query);
  },

  'examples.stats': (deps, { caller, params }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { total, labelled, reviewed, synthetic, byOption } = deps.store.examples.computeTotals(type.id);
    const none = Object.fromEntries(type.activeVersion.definition.options.map((option) => [option, 0]));
    return {
      total,
      labelled,
      unlabelled: total - labelled,
      reviewed,
      by_source: { user: total - synthetic, synthetic },
      by_option: { ...none, ...Object.fromEntries(byOption) },
    };
  },

  'examples.update': (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { reviewed, ...request } = body;
    const { fields, problems } = readExampleFields(request, type, ['body']);
    refuseProblems(problems.slice(0, maxReportedProblems));
    return toExample(updateExample(deps, type, params.example_id, { ...fields, reviewed }));
  },

  'examples.delete': (deps, { caller, params }) =>
    deleteExample(deps, findDecisionType(deps, caller, params.decision_type_id), params.example_id),

  'examples.bulk': (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const selection = body.ids === undefined ? { filter: body.filter ?? {} } : { ids: body.ids };
    const { affected, undoToken } = changeExamples(deps, type, selection, toChange(body));
    return { affected, undo_token: undoToken };
  },

  'examples.undo': (deps, { caller, params, body }) =>
    undoExampleChange(deps, findDecisionType(deps, caller, params.decision_type_id), body.undo_token),

  'examples.import': async (deps, { caller, params, body, receipt }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const toAnswer = ({ mapping, columns, examples, byOption, unknownDecisions }: ImportSummary) => ({
      committed: body.commit,
      mapping,
      columns,
      total: examples.length,
      labelled: examples.filter(({ decision }) => decision !== null).length,
      by_option: Object.fromEntries(byOption),
      unknown_decisions: unknownDecisions.slice(0, maxUnknownDecisions),
      preview: examples.slice(0, maxPreviewed).map(({ line, input, decision, reasonCodes }) => ({
        line,
        input_payload: input,
        expected_decision: decision,
        reason_codes: reasonCodes,
      })),
    });
    return toAnswer(await importExamples(deps, type, body, (summary) => receipt?.keep(toAnswer(summary))));
  },
} satisfies Handlers<
  | 'examples.create'
  | 'examples.list'
  | 'examples.stats'
  | 'examples.update'
  | 'examples.delete'
  | 'examples.bulk'
  | 'examples.undo'
  | 'examples.import'
>;

function toChange(body: {
  action: 'set_decision' | 'set_reviewed' | 'delete';
  decision?: string | null | undefined;
  reviewed?: boolean | undefined;
}): ExampleChange {
  switch (body.action) {
    case 'delete':
      return 'delete';
    case 'set_decision':
      return { set: 'decision', to: body.decision ?? null };
    case 'set_reviewed':
      return { set: 'reviewed', to: body.reviewed ?? false };
  }
}
