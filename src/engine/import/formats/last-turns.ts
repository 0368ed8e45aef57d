/** Chat logs that end with the answer, as language models are tuned by them: the answer is no part of the input. */
import { isConversation, readTurns } from '../../features/conversation.ts';
import { isJsonObject, type Json } from '../../json.ts';
import { limits } from '../../limits.ts';
import { answerName, type Records } from './json-records.ts';

/** Records that show whether a key holds such logs. */
const sampled = 20;
const answerColumn = 'answer';
const answeringRole = /^(?:assistant|gpt|chatgpt|model|bot|ai)$/i;

/** The last turn of a conversation, where it is the answer to those before it; else null. */
function findAnswer(value: Json | undefined): string | null {
  if (!isConversation(value) || value.length < 2) return null;
  const last = readTurns(value).at(-1);
  return last !== undefined && answeringRole.test(last.role) ? last.content.trim() : null;
}

/**
 * Takes the answers out of conversations whose last turns say one of a few things; records that have an answer already
 * stay as they are.
 */
export function takeLastTurns(records: Records): Records {
  const objects = records.list.filter(isJsonObject);
  const sample = objects.slice(0, sampled);
  const names = Object.keys(sample[0] ?? {});
  const key = names.find((name) => sample.every((record) => findAnswer(record[name]) !== null));
  if (key === undefined || objects.length < records.list.length || names.some((name) => answerName.test(name)))
    return records;
  const answers = objects.map((record) => findAnswer(record[key]));
  const { size } = new Set(answers);
  if (size < limits.minOptions || size > limits.maxOptions || size * 2 > objects.length) return records;
  const list = objects.map((record, index) => {
    const turns = record[key];
    const answer = answers[index];
    if (!Array.isArray(turns) || answer == null) return record;
    return { ...record, [key]: turns.slice(0, -1), [answerColumn]: answer };
  });
  const note = `The last turns of “${key}” say one of ${size} things, so they are read as the column “${answerColumn}”`;
  return { ...records, list, notes: [...records.notes, note], answer: answerColumn };
}
