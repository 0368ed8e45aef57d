/** Fields that say nothing, fields that say too much, and values far from all others. */
import { log } from '../exact-math.ts';
import { findOnlyGiven, isLeak, measureTelling } from '../features/tell-label.ts';
import { computeMedian } from '../features/values.ts';
import { isJsonObject } from '../json.ts';
import { formatShare } from '../numeric.ts';
import { isPiiField } from '../pii.ts';
import type { LanguageDetector } from '../ports.ts';
import { countLanguages, describeReading, readLanguages } from '../text/languages.ts';
import { type Cell, type Column, collectColumns, isTextColumn } from './columns.ts';
import { type Finding, type Search, toFinding } from './finding.ts';

/** From this many examples on, a single one that differs is an accident; as in the feature plan. */
const minForNearlyConstant = 50;
/** The share of the examples in which a field names the label, and the most in which it may name another option. */
const minNamedShare = 0.9;
const maxOtherShare = 0.1;
/** Distances from the median, in deviations, beyond which a number is an outlier, and the most of them in a field. */
const outlierDistance = 12;
const maxOutlierShare = 0.002;
/** Makes the median absolute deviation of normal numbers their standard deviation. */
const deviationFactor = 1.4826;

type Kept = {
  ids: string[];
  labels: number[];
  options: readonly string[];
  piiFields: readonly string[];
  detectLanguage: LanguageDetector | null;
};

/** Searches for fields that are constant, tell the label or hold outliers; values of PII fields are not shown. */
export function searchFields(
  options: readonly string[],
  piiFields: readonly string[],
  detectLanguage: LanguageDetector | null,
): Search {
  const table = collectColumns();
  const numbers = new Map(options.map((option, index) => [option, index]));
  const kept: Kept = { ids: [], labels: [], options, piiFields, detectLanguage };
  const namings = createNamings(options);
  return {
    add({ id, input, decision }) {
      table.add(input);
      kept.ids.push(id);
      const label = numbers.get(decision ?? '') ?? -1;
      kept.labels.push(label);
      if (label >= 0) namings.add(input, label);
    },
    finish: () =>
      [
        ...namings.finish(),
        ...table
          .finish()
          .flatMap((column) => [
            ...[findConstant(column), findLeak(column, kept), findOutliers(column, kept)],
            findLanguages(column, kept),
          ]),
      ].flatMap((found) => found ?? []),
  };
}

/** Null for a field with different values. */
function findConstant({ name, cells }: Column): Finding | null {
  const counts = new Map<Cell, number>();
  // A list is null among the cells: it may well differ.
  if (cells.length < 2 || cells.some((cell) => cell === null)) return null;
  for (const cell of cells) {
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    if (counts.size > 2) return null;
  }
  const most = Math.max(...counts.values());
  const isNearly = cells.length >= minForNearlyConstant && most === cells.length - 1;
  if (most < cells.length && !isNearly) return null;
  const where = isNearly ? `all but one of ${cells.length} examples` : 'every example';
  return toFinding({
    kind: 'constant_field',
    severity: 'info',
    message: `Field "${name}" has the same value in ${where}, so nothing can be learned from it. Leave it out, or add examples with other values.`,
    ids: [],
    count: cells.length,
    field: name,
  });
}

/** Null for a field without texts, or whose texts are in English alone. */
function findLanguages(column: Column, { detectLanguage }: Kept): Finding | null {
  if (detectLanguage === null || !isTextColumn(column)) return null;
  const texts = column.cells.filter((cell) => typeof cell === 'string');
  const languages = countLanguages(texts, detectLanguage);
  const described = describeReading(languages);
  if (described === null || languages.every(({ language }) => language === 'en')) return null;
  const isRead = languages.every(({ language }) => readLanguages.includes(language));
  return toFinding({
    kind: 'language',
    severity: isRead ? 'info' : 'warning',
    message: `The texts of field "${column.name}" are in ${described}.`,
    ids: [],
    count: texts.length,
    field: column.name,
  });
}

/** Null for a field that settles the label neither by its value nor by having one. */
function findLeak(column: Column, { labels, options }: Kept): Finding | null {
  const { cells, lengths, name } = column;
  const isGiven = (cell: Cell, row: number) => cell !== '' && (cell ?? lengths?.[row]) !== undefined;
  const only = cells.length < minForNearlyConstant ? null : findOnlyGiven(cells.map(isGiven), labels);
  if (only !== null) {
    return toFinding({
      kind: 'leak',
      severity: 'warning',
      message: `Field "${name}" has a value in ${formatShare(only.share)} of the examples of "${options[only.label]}" and in no others: it gives the answer away. If it is only known after the decision, leave it out.`,
      ids: [],
      count: cells.length,
      field: name,
      score: only.share,
    });
  }
  if (isTextColumn(column)) return null;
  const telling = measureTelling(column.cells, labels);
  if (!isLeak(telling)) return null;
  const { rows, share } = telling;
  return toFinding({
    kind: 'leak',
    severity: 'warning',
    message: `Field "${column.name}" alone gives the label of ${formatShare(share)} of ${rows} examples. If it is only known after the decision, leave it out; if it is known before, a rule decides as well.`,
    ids: [],
    count: rows,
    field: column.name,
    score: share,
  });
}

/** Counts how often the strings of a field name their own label, and another option. */
function createNamings(options: readonly string[]) {
  const plain = options.map((option) => option.toLowerCase());
  const fields = new Map<string, { own: number; other: number; rows: number }>();
  const visit = (value: unknown, path: string, label: number) => {
    if (typeof value === 'string') {
      const text = value.toLowerCase();
      const field = fields.get(path) ?? { own: 0, other: 0, rows: 0 };
      fields.set(path, field);
      field.rows += 1;
      if (text.includes(plain[label] ?? '')) field.own += 1;
      // One other option stands for all: asking for each would take hours with 200 of them.
      if (text.includes(plain[(label + 1) % plain.length] ?? '')) field.other += 1;
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, path === '' ? key : `${path}.${key}`, label);
    }
  };
  return {
    add: (input: object, label: number) => visit(input, '', label),
    finish: (): Finding[] =>
      [...fields]
        .filter(
          ([, { own, other, rows }]) =>
            rows >= minForNearlyConstant && own >= minNamedShare * rows && other <= maxOtherShare * rows,
        )
        .map(([name, { own, rows }]) =>
          toFinding({
            kind: 'leak',
            severity: 'error',
            message: `Field "${name}" contains the name of the label in ${own} of ${rows} examples: it gives the answer away. Leave the field out, unless callers really send it.`,
            ids: [],
            count: own,
            field: name,
            score: own / rows,
          }),
        ),
  };
}

/** Distances from the median in robust deviations (median absolute deviation); null where most numbers are equal. */
function computeDistances(numbers: Float64Array): Float64Array | null {
  const median = computeMedian(numbers);
  const deviations = numbers.map((number) => Math.abs(number - median));
  const deviation = deviationFactor * computeMedian(deviations);
  return deviation === 0 ? null : deviations.map((distance) => distance / deviation);
}

/** Examples whose number is far from all others, also on a logarithmic scale where numbers are positive. */
function findOutliers({ name, path, cells }: Column, { ids, piiFields }: Kept): Finding[] {
  const rows = cells.flatMap((cell, row) => (typeof cell === 'number' ? [row] : []));
  if (rows.length < minForNearlyConstant) return [];
  const numbers = Float64Array.from(rows, (row) => cells[row] as number);
  const distances = computeDistances(numbers);
  const logDistances = numbers.every((number) => number > 0) ? computeDistances(numbers.map(log)) : distances;
  if (distances === null || logDistances === null) return [];
  const far = [...rows.keys()]
    .map((i) => ({ i, distance: Math.min(distances[i] ?? 0, logDistances[i] ?? 0) }))
    .filter(({ distance }) => distance > outlierDistance)
    .sort((a, b) => b.distance - a.distance);
  if (far.length > Math.max(1, maxOutlierShare * rows.length)) return [];
  return far.map(({ i, distance }) => {
    const value = isPiiField(path, piiFields) ? 'a value' : `the value ${numbers[i]}`;
    return toFinding({
      kind: 'outlier',
      severity: 'info',
      message: `Field "${name}" has ${value} far from that of all other examples. Correct it if it is a slip; else add more examples like it.`,
      ids: [ids[rows[i] ?? 0] ?? ''],
      field: name,
      score: distance,
    });
  });
}
