/** Deciding at the door of the workbench, by the formats of decision models too, and why a decision is made. */
import { answerBatch, answerDecide, readDecideBody } from '../../../door/deciding/decide-calls.ts';
import { askDecisions, askSystemone, listModels } from '../../../door/formats/ask.ts';
import { toCallerId } from '../../auth/caller.ts';
import type { OutputOf } from '../../contract/operations.ts';
import { isoTime } from '../../process/clock.ts';
import { explainExample, explainInput, explainLogged } from '../../services/deciding/explaining.ts';
import { findDeciding } from '../../services/deciding/find-decider.ts';
import type { StoredQuestion } from '../../store/deciding/questions.ts';
import type { Handlers } from '../context.ts';

function toQuestion({ id, kind, shown, options, createdAt }: StoredQuestion): OutputOf<'questions.bind'> {
  return { id, kind, asked: shown, options, created_at: isoTime(createdAt) };
}

export const decidingHandlers = {
  decide(deps, call) {
    const request = readDecideBody(call.body);
    const decide = () => answerDecide(deps.deciding, request, call.query, call);
    if (!call.query.explain) return decide();
    // It waits for its turn to decide: a refused call is not charged.
    return deps.explanationTurns.take(toCallerId(call.caller), async () => {
      const answer = await decide();
      const { type, pinned } = findDeciding(deps, call.caller, request.decision_type);
      return { ...answer, explain: await explainInput(deps, type, request.input, pinned) };
    });
  },

  'decide.batch': (deps, call) => answerBatch(deps.deciding, call.body, call.query.dry_run, call),

  'models.ask_systemone': (deps, call) => askSystemone(deps, call.body, call),
  'models.ask_decisions': (deps, call) => askDecisions(deps, call.body, call),
  'models.list': ({ questions }, { caller }) => listModels(questions.listAnswering(caller)),

  'logs.explain': (deps, { type, caller, params }) =>
    deps.explanationTurns.take(toCallerId(caller), () => explainLogged(deps, type, params.log_id)),

  'examples.explain': (deps, { type, caller, params }) =>
    deps.explanationTurns.take(toCallerId(caller), () => explainExample(deps, type, params.example_id)),

  'questions.list': ({ store }, { type }) => store.questions.listOfType(type.id).map(toQuestion),
  'questions.bind': ({ questions }, { caller, type, body }) => toQuestion(questions.bind(caller, type, body)),
  'questions.forget': ({ questions }, { caller, type, params }) => questions.forget(caller, type, params.question_id),
} satisfies Handlers;
