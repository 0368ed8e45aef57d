/** Which column of an example file becomes what of an example. */
import type { Json, JsonObject } from '../../engine/domain.ts';
import type { ErrorDetail } from '../../engine/errors.ts';
import { isJsonObject } from '../../engine/json.ts';
import type { ImportMapping } from '../contract/examples.ts';
import { refuseFile, type SourceRecord, toFileProblem } from './import-file.ts';

/** A record of the file as the example that it becomes. */
export type ImportedExample = { line: number; input: JsonObject; decision: string | null; reasonCodes: string[] };

const decisionNames = ['expected_decision', 'decision', 'label', 'class', 'target', 'outcome', 'category'];
const reasonNames = ['reason_codes', 'reason_code', 'reasons', 'reason'];
const inputNames = ['input_payload', 'input'];
/** What a body may hold, too: a deeper input could not be sent back. */
const maxSegments = 28;

/** Guesses from the names of the columns which of them hold labels, reason codes and, whole, the input. */
export function guessMapping(names: readonly string[]): ImportMapping {
  const find = (wanted: readonly string[]) => {
    for (const name of wanted) {
      const found = names.find((column) => column.toLowerCase() === name);
      if (found !== undefined) return found;
    }
    return null;
  };
  const whole = find(inputNames);
  return { decision: find(decisionNames), reason_codes: find(reasonNames), input: whole === null ? null : [whole] };
}

/** Refuses a mapping that names columns the file does not have. */
export function checkMapping(mapping: ImportMapping, names: readonly string[]): void {
  const problems: ErrorDetail[] = [];
  const check = (name: string | null, loc: (string | number)[]) => {
    if (name === null || names.includes(name)) return;
    problems.push({ type: 'unknown_column', loc: ['body', 'mapping', ...loc], msg: `there is no column "${name}"` });
  };
  check(mapping.decision, ['decision']);
  check(mapping.reason_codes, ['reason_codes']);
  for (const [index, name] of (mapping.input ?? []).entries()) check(name, ['input', index]);
  if (problems.length > 0) refuseFile(problems);
}

/** Returns the columns that make up the input. */
export function listInputColumns(names: readonly string[], mapping: ImportMapping): readonly string[] {
  return mapping.input ?? names.filter((name) => name !== mapping.decision && name !== mapping.reason_codes);
}

/** Refuses names that no input can have, and two names of which one would overwrite the other's value. */
export function checkInputColumns(names: readonly string[]): void {
  const problems: ErrorDetail[] = [];
  const known = new Set(names);
  for (const name of names) {
    const segments = name.split('.');
    if (segments.includes('__proto__')) problems.push(toFileProblem(1, name, 'this column name is not allowed'));
    if (segments.length > maxSegments) {
      problems.push(
        toFileProblem(1, name.slice(0, 80), `a column name has at most ${maxSegments} parts between its dots`),
      );
      continue;
    }
    const above = segments.map((_, depth) => segments.slice(0, depth).join('.')).find((outer) => known.has(outer));
    if (above === undefined) continue;
    problems.push(
      toFileProblem(1, name, `the columns "${above}" and "${name}" name the same place; rename or leave out one`),
    );
  }
  if (problems.length > 0) refuseFile(problems);
}

/** Reads a record of the file as an example; throws `validation_error` where a cell cannot be a label. */
export function applyMapping({ line, values }: SourceRecord, mapping: ImportMapping): ImportedExample {
  const label = mapping.decision === null ? null : (values[mapping.decision] ?? null);
  if (typeof label === 'object' && label !== null)
    refuseFile([toFileProblem(line, mapping.decision ?? 1, 'the decision is an object or a list')]);
  return {
    line,
    input: toInput({ line, values }, mapping),
    decision: label === null || label === '' ? null : String(label),
    reasonCodes: toReasonCodes(mapping.reason_codes === null ? null : values[mapping.reason_codes], line, mapping),
  };
}

function toInput({ line, values }: SourceRecord, mapping: ImportMapping): JsonObject {
  const chosen = listInputColumns(Object.keys(values), mapping);
  const [only] = chosen;
  if (chosen.length === 1 && only !== undefined && inputNames.includes(only.toLowerCase())) {
    const whole = values[only];
    if (whole === undefined) refuseFile([toFileProblem(line, only, `"${only}" is missing`)]);
    if (isJsonObject(whole)) return whole;
  }
  const input: JsonObject = {};
  for (const name of chosen) {
    const value = values[name];
    if (value === undefined) continue;
    const segments = name.split('.');
    const last = segments.pop() ?? name;
    let place = input;
    for (const segment of segments) {
      const next = Object.hasOwn(place, segment) ? place[segment] : undefined;
      const inner: JsonObject = isJsonObject(next) ? next : {};
      place[segment] = inner;
      place = inner;
    }
    place[last] = value;
  }
  return input;
}

function toReasonCodes(value: Json | undefined, line: number, mapping: ImportMapping): string[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value) && value.every((code) => typeof code === 'string')) return value;
  if (typeof value === 'object')
    return refuseFile([toFileProblem(line, mapping.reason_codes ?? 1, 'the reason codes are not a list of strings')]);
  return String(value)
    .split(/[;|]/)
    .map((code) => code.trim())
    .filter((code) => code !== '');
}
