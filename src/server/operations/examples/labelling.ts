/** Labelling: the next examples with suggestions, similar ones, and the teacher's labels. */
import type { OutputOf } from '../../contract/operations.ts';
import { toExample } from '../../preparation/examples/example-wire.ts';
import { findSimilarExamples, suggestLabels, takeNextExamples } from '../../services/examples/labelling/labelling.ts';
import type { TeacherLabelling } from '../../services/examples/labelling/teacher-labelling.ts';
import { describeNumbers } from '../../services/examples/numbers.ts';
import { nameReader } from '../../services/releases.ts';
import type { Handlers } from '../context.ts';

export const labellingHandlers = {
  'examples.next': async (deps, { type, caller, query }) => {
    const reader = nameReader(deps.store, caller, query.reader);
    const next = await takeNextExamples(deps, type, { ...query, reader });
    return {
      items: next.items.map((item) => ({ ...item, example: toExample(item.example) })),
      remaining: next.remaining,
      recent_accuracy: next.recent.of === 0 ? null : next.recent.right / next.recent.of,
      recent: next.recent,
      stop_hint: deps.store.policies.findForecast(type.id),
      labelling_model: { examples_read: next.examplesRead, labels: next.labels, drawn: next.drawn },
    };
  },

  'examples.suggest': async (deps, { type, body }) => {
    const found = await suggestLabels(deps, type, body.ids);
    return { items: found.map(({ id, suggestion }) => ({ example_id: id, suggestion })) };
  },

  'examples.numbers': (deps, { type }) => ({
    items: describeNumbers(deps, type),
  }),

  'examples.similar': async (deps, { type, params, query }) => {
    const similar = await findSimilarExamples(deps, type, params.example_id, {
      count: query.count,
      among: query.near_copies ? 'copies' : query.labelled ? 'labelled' : 'all',
    });
    return { items: similar.map(({ example, similarity }) => ({ example: toExample(example), similarity })) };
  },
  'teacher_labelling.start': (deps, { type, caller, body }) => {
    const { min_agreement: minAgreement, min_probability: minProbability, max_examples: maxExamples } = body;
    const request = { minAgreement, minProbability, maxExamples };
    return toTeacherLabelling(deps.teacherLabellings.start(caller, type, request));
  },

  'teacher_labelling.get': (deps, { type }) => toTeacherLabelling(deps.teacherLabellings.read(type.id)),

  'teacher_labelling.cancel': async (deps, { type }) =>
    toTeacherLabelling(await deps.teacherLabellings.cancel(type.id)),
} satisfies Handlers;

function toTeacherLabelling(job: TeacherLabelling): OutputOf<'teacher_labelling.get'> {
  const { state, connection, agreement, measured, done, total, labelled, tokens, credits, message } = job;
  return {
    state,
    connection,
    measured,
    done,
    total,
    labelled,
    tokens,
    credits,
    message,
    teacher: state === 'idle' ? null : connection === null ? 'labelling_model' : 'connected_model',
    agreement: agreement === null ? null : { right: agreement.right, of: agreement.of, ...agreement.interval },
  };
}
