/** How often rows agree in some fields at random: a forest of pairs of fields (Chow and Liu 1968). */
import { log } from '../exact-math.ts';
import { listLeaves } from '../features/values.ts';
import type { Json, JsonObject } from '../json.ts';
import { hashNumber } from '../random.ts';
import { createGroups } from '../row-sets.ts';

/** A field as numbers: 0 where a row lacks it, else one for each different value, counted in `counts`. */
export type CodedField = {
  name: string;
  codes: Int32Array;
  counts: number[];
  values: Json[];
  /** Texts of several words: words that a language leaves open make equal ones rare. */
  isText: boolean;
};

/** Fields that are looked at; inputs with more are looked at in part. */
const maxFields = 100;
/** Rows that pairs of fields are judged on. */
const maxSampled = 5_000;
const minTextWords = 3.5;
/** The share of a word in the chance of the same text (nats), and the words that are counted. */
const natsPerWord = 3.9;
const maxWords = 20;
const wordPattern = /[\p{L}\p{N}]+/gu;

/** Words in any case, order and punctuation are the same. */
export function foldText(text: string): string {
  return (text.toLowerCase().match(wordPattern) ?? []).sort().join(' ');
}

const countWords = (value: Json) => (typeof value === 'string' ? value.split(/\s+/).length : 0);

type OpenField = Omit<CodedField, 'isText'> & { codeOf: Map<Json, number> };

const openField = (path: readonly string[], rows: number): OpenField => ({
  name: path.join('.'),
  codes: new Int32Array(rows),
  counts: [0],
  values: [null],
  codeOf: new Map(),
});

/** The number of a value, a new one where it is the first of its kind. */
function codeValue({ codeOf, values }: OpenField, value: Json): number {
  const raw = typeof value === 'object' ? JSON.stringify(value) : value;
  const known = codeOf.get(raw);
  if (known !== undefined) return known;
  const folded = typeof raw === 'string' ? `~${foldText(raw) || raw}` : raw;
  const code = codeOf.get(folded) ?? values.push(raw) - 1;
  codeOf.set(raw, code);
  codeOf.set(folded, code);
  return code;
}

/** Writes the fields of inputs as numbers; texts that differ in case, punctuation or order of words are equal. */
export function codeFields(inputs: readonly JsonObject[]): CodedField[] {
  const fields = new Map<string, OpenField>();
  inputs.forEach((input, row) => {
    for (const { path, value } of listLeaves(input)) {
      if (value === null || value === '') continue;
      const key = path.length === 1 ? (path[0] ?? '') : JSON.stringify(path);
      const field = fields.get(key) ?? (fields.size < maxFields ? openField(path, inputs.length) : null);
      if (field === null) continue;
      fields.set(key, field);
      const code = codeValue(field, value);
      field.codes[row] = code;
      field.counts[code] = (field.counts[code] ?? 0) + 1;
    }
  });
  return [...fields.values()].map(({ codeOf: _, ...field }) => {
    field.counts[0] = inputs.length - field.counts.reduce((sum, count) => sum + count, 0);
    const words = field.values.reduce((sum: number, value, code) => sum + countWords(value) * field.counts[code], 0);
    return { ...field, isText: words >= minTextWords * (inputs.length - field.counts[0]) && words > 0 };
  });
}

/** The rows of a sample, even and alike in every run; all rows where there are few. */
function sampleRows(rows: number): number[] {
  const every = Math.ceil(rows / maxSampled);
  const all = Array.from({ length: rows }, (_, row) => row);
  return every <= 1 ? all : all.filter((row) => hashNumber(row, 1) % every === 0);
}

function countPairs(a: CodedField, b: CodedField, rows: readonly number[] | null): Map<number, number> {
  const width = b.counts.length;
  const pairs = new Map<number, number>();
  const count = (row: number) => {
    const pair = a.codes[row] * width + b.codes[row];
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  };
  if (rows === null) for (let row = 0; row < a.codes.length; row++) count(row);
  else for (const row of rows) count(row);
  return pairs;
}

function measureEntropy(counts: Iterable<number>, rows: number): number {
  let sum = 0;
  for (const count of counts) if (count > 0) sum -= (count / rows) * log(count / rows);
  return sum;
}

type Edge = { a: number; b: number; information: number };

/** Pairs of fields that go together as far as the different rows support it (BIC, Schwarz 1978), strongest first. */
function findEdges(fields: readonly CodedField[], rows: number): Edge[] {
  const sample = sampleRows(rows);
  const seen = fields.map((field) => {
    const counts = new Map<number, number>();
    for (const row of sample) counts.set(field.codes[row], (counts.get(field.codes[row]) ?? 0) + 1);
    return { different: counts.size, entropy: measureEntropy(counts.values(), sample.length) };
  });
  // Copies support nothing: only different rows do.
  const different = new Set(sample.map((row) => fields.map(({ codes }) => codes[row]).join(' '))).size;
  const unit = log(Math.max(2, different)) / (2 * Math.max(1, different));
  const edges: Edge[] = [];
  for (let b = 1; b < fields.length; b++) {
    for (let a = 0; a < b; a++) {
      const penalty = (seen[a].different - 1) * (seen[b].different - 1) * unit;
      if (penalty >= Math.min(seen[a].entropy, seen[b].entropy)) continue;
      const joint = measureEntropy(countPairs(fields[a], fields[b], sample).values(), sample.length);
      const information = seen[a].entropy + seen[b].entropy - joint;
      if (information > penalty) edges.push({ a, b, information });
    }
  }
  return edges.sort((one, other) => other.information - one.information);
}

/** The natural logarithm of the chance that a further row agrees with row `row` in some fields. */
export type ChanceModel = { compile(among: readonly number[]): (row: number) => number };

/** Learns how often rows of these fields agree at random. */
export function learnChances(fields: readonly CodedField[], rows: number): ChanceModel {
  const edges = findEdges(fields, rows);
  const logs = fields.map(({ counts, values, isText }) =>
    counts.map((count, code) => {
      const share = log(Math.max(1, count) / rows);
      return isText && code > 0 ? Math.min(share, -natsPerWord * Math.min(maxWords, countWords(values[code]))) : share;
    }),
  );
  const joints = new Map<Edge, Map<number, number>>();
  return {
    compile(among) {
      const joined = createGroups(fields.length);
      const chosen = new Set(among);
      // A spanning forest of most information (Kruskal 1956).
      const forest = edges.filter((edge) => {
        if (!chosen.has(edge.a) || !chosen.has(edge.b)) return false;
        const isApart = joined.find(edge.a) !== joined.find(edge.b);
        joined.join(edge.a, edge.b);
        return isApart;
      });
      const pairs = forest.map((edge) => {
        const { a, b } = edge;
        const counts = joints.get(edge) ?? countPairs(fields[a], fields[b], null);
        joints.set(edge, counts);
        return { a: fields[a], b: fields[b], counts };
      });
      return (row) => {
        let sum = 0;
        for (const field of among) sum += logs[field][fields[field].codes[row]];
        for (const { a, b, counts } of pairs) {
          const [ofA, ofB] = [a.codes[row], b.codes[row]];
          const together = counts.get(ofA * b.counts.length + ofB) ?? 1;
          sum += log((together * rows) / (a.counts[ofA] * b.counts[ofB]));
        }
        return sum;
      };
    },
  };
}
