/** Labelling: the next examples with suggestions, similar ones, and the teacher's labels. */
import type { OutputOf } from '../../contract/operations.ts';
import { toExample } from '../../preparation/example-wire.ts';
import { findSimilarExamples, suggestLabels, takeNextExamples } from '../../services/examples/labelling.ts';
import { describeNumbers } from '../../services/examples/numbers.ts';
import type { TeacherLabelling } from '../../services/examples/teacher-labelling.ts';
import { findDecisionType } from '../../services/types/decision-types.ts';
import type { Deps, Handlers } from '../context.ts';

type Used = Pick<Deps, 'store' | 'clock' | 'runtime' | 'auth' | 'newId' | 'teacherLabellings'>;

export const labellingHandlers = {
  'examples.next': async (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const next = await takeNextExamples(deps, type, query);
    return {
      items: next.items.map((item) => ({ ...item, example: toExample(item.example) })),
      remaining: next.remaining,
      recent_accuracy: next.recent.of === 0 ? null : next.recent.right / next.recent.of,
      recent: next.recent,
      stop_hint: next.stopHint,
      labelling_model: { examples_read: next.examplesRead, labels: next.labels },
    };
  },

  'examples.suggest': async (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const found = await suggestLabels(deps, type, body.ids);
    return { items: found.map(({ id, suggestion }) => ({ example_id: id, suggestion })) };
  },

  'examples.numbers': (deps, { caller, params }) => ({
    items: describeNumbers(deps, findDecisionType(deps, caller, params.decision_type_id)),
  }),

  'examples.similar': async (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const similar = await findSimilarExamples(deps, type, params.example_id, query);
    return { items: similar.map(({ example, similarity }) => ({ example: toExample(example), similarity })) };
  },
  'teacher_labelling.start': (deps, { caller, params, body }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { min_agreement: minAgreement, min_probability: minProbability, max_examples: maxExamples } = body;
    const request = { minAgreement, minProbability, maxExamples };
    return toTeacherLabelling(deps.teacherLabellings.start(caller, type, request));
  },

  'teacher_labelling.get': (deps, { caller, params }) =>
    toTeacherLabelling(deps.teacherLabellings.read(findDecisionType(deps, caller, params.decision_type_id).id)),

  'teacher_labelling.cancel': async (deps, { caller, params }) =>
    toTeacherLabelling(await deps.teacherLabellings.cancel(findDecisionType(deps, caller, params.decision_type_id).id)),
} satisfies Handlers<Used>;

function toTeacherLabelling(job: TeacherLabelling): OutputOf<'teacher_labelling.get'> {
  const { state, connection, agreement, done, total, labelled, credits, message } = job;
  return {
    state,
    connection,
    done,
    total,
    labelled,
    credits,
    message,
    teacher: state === 'idle' ? null : connection === null ? 'labelling_model' : 'connected_model',
    agreement: agreement === null ? null : { right: agreement.right, of: agreement.of, ...agreement.interval },
  };
}
