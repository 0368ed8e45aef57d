/** Tables of text whose columns stand at the same places of every line, with blanks between them. */
import { isDrawn } from './split-lines.ts';

/** The name of this layout where a separator is named. */
export const fixedWidth = 'fixed';

const minLines = 3;
const sampledCharacters = 100_000;
/** Lines of titles above the names of the columns. */
const maxTitleLines = 5;

/** Where a column begins and ends (UTF-16 index). */
type Column = { from: number; to: number };
/** `header` is the place of the line with the names. */
type Layout = { columns: Column[]; lines: string[]; header: number };

const toLines = (text: string): string[] =>
  text
    .replace(/(?:\r\n|\r|\n)$/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd());

/** Marks the places at which any of the lines holds a sign. */
function markPlaces(lines: readonly string[]): Uint8Array {
  const used = new Uint8Array(lines.reduce((most, line) => Math.max(most, line.length), 0));
  for (const line of lines) for (let at = 0; at < line.length; at += 1) if (line[at] !== ' ') used[at] = 1;
  return used;
}

function listRuns(used: Uint8Array): Column[] {
  const runs: Column[] = [];
  for (let at = 0; at < used.length; at += 1) {
    if (used[at] === 0) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.to === at) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
  }
  return runs;
}

/** Joins what a single blank cuts: “Unit price” over numbers below its second word, and words below no name. */
function joinWords(runs: readonly Column[], header: string, body: readonly string[]): Column[] {
  const columns: Column[] = [];
  let isOpen = false;
  for (const run of runs) {
    const last = columns.at(-1);
    const isEmpty = body.every((line) => line.slice(run.from, run.to).trim() === '');
    const isUnnamed = header.slice(run.from, run.to).trim() === '';
    if (last !== undefined && run.from - last.to === 1 && (isOpen || isEmpty || isUnnamed)) last.to = run.to;
    else columns.push({ ...run });
    isOpen = isEmpty;
  }
  return columns;
}

/** Finds the columns below at most a few titles; null where the lines share no places, as prose does. */
function findLayout(text: string): Layout | null {
  if (text.includes('\t')) return null;
  const lines = toLines(text);
  const filled = lines.filter((line) => line !== '');
  for (let start = 0; start <= maxTitleLines && filled.length - start >= minLines; start += 1) {
    const [header = '', ...below] = filled.slice(start);
    const drawn = below[0] !== undefined && isDrawn(below[0].replaceAll(' ', '')) ? below[0] : null;
    const body = drawn === null ? below : below.slice(1);
    const isSpaced = body.some((line) => /\S {2,}\S/.test(line)) && (drawn !== null || /\S {2,}\S/.test(header));
    if (!isSpaced || body.length < minLines - 1) continue;
    const columns =
      drawn === null ? joinWords(listRuns(markPlaces([header, ...body])), header, body) : listRuns(markPlaces([drawn]));
    const areNamed = columns.every(({ from, to }) => header.slice(from, to).trim() !== '');
    const areWhole = columns.every(
      ({ from }) => from === 0 || filled.slice(start).every((line) => (line[from - 1] ?? ' ') === ' '),
    );
    if (columns.length >= 2 && areNamed && areWhole) return { columns, lines, header: lines.indexOf(header) };
  }
  return null;
}

/** Whether the columns of a text stand at the same places of every line; its start is looked at first. */
export function isFixedWidth(text: string): boolean {
  const start = text.slice(0, sampledCharacters);
  const isLikely =
    findLayout(start.slice(0, text.length > start.length ? start.lastIndexOf('\n') + 1 : undefined)) !== null;
  return isLikely && (start.length === text.length || findLayout(text) !== null);
}

/** Cuts each line of a text at the places of its columns; a text without such places has one column. */
export function cutFixedWidth(text: string): string[][] {
  const layout = findLayout(text);
  if (layout === null) return toLines(text).map((line) => [line]);
  const { columns, lines, header } = layout;
  return lines.map((line, at) =>
    at < header
      ? [line]
      : columns.map(({ from }, index) => line.slice(from, columns[index + 1]?.from ?? line.length).trim()),
  );
}
