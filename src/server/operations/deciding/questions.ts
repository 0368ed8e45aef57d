/** The questions of decision models that a type answers, over the wire. */
import type { OutputOf } from '../../contract/operations.ts';
import { isoTime } from '../../process/clock.ts';
import type { StoredQuestion } from '../../store/deciding/questions.ts';
import type { Handlers } from '../context.ts';

export const questionHandlers = {
  'questions.list': ({ store }, { type }) => store.questions.listOfType(type.id).map(toQuestion),
  'questions.bind': ({ questions }, { caller, type, body }) => toQuestion(questions.bind(caller, type, body)),
  'questions.forget': ({ questions }, { caller, type, params }) => questions.forget(caller, type, params.question_id),
} satisfies Handlers;

function toQuestion({ id, kind, shown, options, createdAt }: StoredQuestion): OutputOf<'questions.bind'> {
  return { id, kind, asked: shown, options, created_at: isoTime(createdAt) };
}
