/** Inputs as people read them. */
import type { Reading, Readings } from '../../../engine/domain/definition.ts';
import { isConversation, joinTurns, readTurns } from '../../../engine/features/conversation.ts';
import { toReadableText } from '../../../engine/features/readable-text.ts';
import { isMask, maskWords } from '../../../engine/pii.ts';
import { writeNumber } from '../../../engine/readings/write-number.ts';
import { number, readMoment } from './figures.ts';
import { isolate, showUnseen } from './names.ts';

type Input = Readonly<Record<string, unknown>>;

/** A value in one line; a number as the file of its field has it, where that is known. */
export function valueText(value: unknown, reading?: Reading): string {
  if (typeof value === 'string')
    return isMask(value) ? maskWords : (readMoment(value) ?? showUnseen(toReadableText(value)));
  if (isConversation(value)) return showUnseen(joinTurns(readTurns(value), toReadableText));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return (reading?.kind === 'number' ? writeNumber(value, reading) : null) ?? number(value);
  return showUnseen(JSON.stringify(value));
}

/** A text of at most `maxLength` UTF-16 units, with a sign where it was cut; no character is cut in half. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The fields of an input by dotted path, objects opened. */
export function flattenInput(input: Input, above = ''): { path: string; value: unknown }[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const path = above === '' ? name : `${above}.${name}`;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? flattenInput(value as Input, path) : [{ path, value }];
  });
}

const minTextLength = 40;

type Text = { path: string; value: string };

/** The texts of an input that may be read: long ones, or of several words; conversations as their lines. */
function listTexts(input: Input): Text[] {
  return flattenInput(input)
    .map(({ path, value }) => ({ path, value: isConversation(value) ? valueText(value) : value }))
    .filter(
      (field): field is Text =>
        typeof field.value === 'string' && (field.value.length >= minTextLength || field.value.includes(' ')),
    );
}

/** The field that is most likely the text to read: the longest string with spaces, or null. */
export function findMainText(input: Input): Text | null {
  return listTexts(input).sort((a, b) => b.value.length - a.value.length)[0] ?? null;
}

/** Inputs from which on a field that repeats itself is not a headline. */
const minSurveyed = 8;
/** Letters on average from which on a personal field is no name. */
const minSentence = 40;
/** The share of different texts from which on a field says something of its row. */
const minDifferent = 0.5;

/**
 * Finds the field whose text says most of a row: one that differs in most inputs, the longest in all of them. Null
 * where every text repeats itself, as names of a category do, or is a personal name; undefined of too few inputs.
 */
export function findHeadline(inputs: readonly Input[], personal: readonly string[] = []): string | null | undefined {
  if (inputs.length < minSurveyed) return undefined;
  const byPath = Map.groupBy(inputs.flatMap(listTexts), ({ path }) => path);
  const candidates = [...byPath].flatMap(([path, texts]) => {
    const differs = new Set(texts.map(({ value }) => value)).size >= texts.length * minDifferent;
    const length = texts.reduce((sum, { value }) => sum + value.length, 0);
    const isName = personal.includes(path) && length < texts.length * minSentence;
    return differs && !isName && texts.length >= inputs.length * minDifferent ? [{ path, length }] : [];
  });
  return candidates.sort((a, b) => b.length - a.length)[0]?.path ?? null;
}

/** An input in one line: its only text or its longest as it is, then its other fields with a value by name. */
export function summariseInput(input: Input, readings: Readings = {}): string {
  const main = findMainText(input);
  const all = flattenInput(input);
  const [only] = all;
  if (all.length === 1 && typeof only?.value === 'string') return valueText(only.value);
  const others = all.filter(({ path, value }) => path !== main?.path && value !== null);
  const fields = others.map(({ path, value }) => `${isolate(path)}: ${isolate(valueText(value, readings[path]))}`);
  return [...(main === null ? [] : [isolate(toReadableText(main.value))]), ...fields].join(' · ');
}
