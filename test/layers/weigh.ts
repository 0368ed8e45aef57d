/**
 * The weight of the sources beside what test/bench/results/weight.md keeps of it. `node test/layers/weigh.ts` prints
 * what is not as kept; with `--write` it writes numbers that became smaller, and those of the whole.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  countAny,
  countCasts,
  countFolderCircles,
  countIndexCasts,
  countLargeFolders,
  countLines,
  countLongFunctions,
  findRepeats,
  readSources,
  sumBy,
  toLayer,
  toRoom,
} from './source-facts.ts';

/** Numbers by the heading that they stand under and the name of their row. */
export type Weights = Map<string, Map<string, number>>;

export const weightPath = 'test/bench/results/weight.md';

/** The share by which lines may grow without a word. */
const slack = 0.02;

/** Measures the sources below `root`, under the headings of weight.md. */
export function weigh(root: string): Weights {
  const code = readSources(root, 'src/**/*.{ts,tsx}');
  const src = readSources(root, 'src/**/*.{ts,tsx,css,sql}');
  const test = readSources(root, 'test/**/*.{ts,tsx,css,sql}');
  const scripts = readSources(root, 'scripts/**/*.ts');
  const python = readSources(root, 'edge/{src,tests}/**/*.py');
  const edge = python.filter(({ path }) => path.startsWith('edge/src/'));
  const sum = (of: ReadonlyMap<string, number>) => [...of.values()].reduce((total, count) => total + count, 0);
  const notNone = (of: ReadonlyMap<string, number>) => new Map([...of].filter(([, count]) => count > 0));
  const casts = notNone(sumBy(code, toLayer, countCasts));
  return new Map([
    [
      'The whole',
      new Map([
        ['lines of `src`', countLines(src)],
        ['lines of `test`', countLines(test)],
        ['lines of `scripts`', countLines(scripts)],
        ['lines of Python, tests included', countLines(python)],
        [
          'functions over 80 lines in `src` and `scripts`',
          sum(sumBy([...code, ...scripts], toLayer, countLongFunctions)),
        ],
        ['folders with more than 16 files', countLargeFolders([...code, ...test, ...scripts, ...python])],
        ['circles of plain folders', countFolderCircles(code)],
        ['casts in `src`', sum(casts)],
        ['casts to a number behind an index', sum(sumBy(code, toLayer, countIndexCasts))],
        ['lines with `Any` in the Python package', sum(sumBy(edge, toLayer, countAny))],
        ['repeated runs of eight lines in `src`', findRepeats(code).length],
        ['repeated runs of eight lines in `test`', findRepeats(test).length],
        ['repeated runs of eight lines in Python', findRepeats(python).length],
      ]),
    ],
    [
      'Rooms',
      new Map(
        [...sumBy([...src, ...edge], toRoom, (source) => countLines([source]))].map(([room, lines]) => [
          `lines of \`${room}\``,
          lines,
        ]),
      ),
    ],
    ['Casts', casts],
    ['Any', notNone(sumBy(edge, (path) => path.replace('edge/src/decision_edge/', ''), countAny))],
  ]);
}

const row = /^\| (.+?) \| ([\d,]+) \|/;

/** Reads the tables of weight.md: under each heading the name and the first number of each row. */
export function readKept(text: string): Weights {
  const kept: Weights = new Map();
  let heading = '';
  for (const line of text.split('\n')) {
    heading = /^## (.+)$/.exec(line)?.[1] ?? heading;
    const [, name, number] = row.exec(line) ?? [];
    if (name === undefined || number === undefined) continue;
    const rows = kept.get(heading) ?? new Map<string, number>();
    kept.set(heading, rows.set(name.replaceAll(/^`|`$/g, ''), Number(number.replaceAll(',', ''))));
  }
  return kept;
}

const sayNumber = (number: number) => number.toLocaleString('en-US');

/** Says of every number what is more than kept, has no row, or is kept of something that is gone. */
export function compareWeights(kept: Weights, measured: Weights): string[] {
  return [...measured].flatMap(([heading, rows]) => {
    const keptRows = kept.get(heading) ?? new Map<string, number>();
    const isLines = (name: string) => name.startsWith('lines of ');
    const more = [...rows].flatMap(([name, number]) => {
      const allowed = keptRows.get(name.replaceAll(/^`|`$/g, ''));
      if (allowed === undefined) return [`${heading}: ${name} has no row; it has ${sayNumber(number)}`];
      const free = isLines(name) ? Math.max(10, allowed * slack) : 0;
      return number <= allowed + free
        ? []
        : [
            `${heading}: ${name} has ${sayNumber(number)}, and ${sayNumber(allowed)} are kept: make it less, or write it into its row with the reason`,
          ];
    });
    const names = new Set([...rows.keys()].map((name) => name.replaceAll(/^`|`$/g, '')));
    const gone = [...keptRows.keys()].filter((name) => !names.has(name));
    return [...more, ...gone.map((name) => `${heading}: ${name} is gone: remove its row`)];
  });
}

/** The text of weight.md with the numbers that became smaller, and every number of the whole. */
export function writeLower(text: string, measured: Weights): string {
  let heading = '';
  return text
    .split('\n')
    .map((line) => {
      heading = /^## (.+)$/.exec(line)?.[1] ?? heading;
      const [, name = '', number = ''] = row.exec(line) ?? [];
      const rows = measured.get(heading);
      const now = rows?.get(name) ?? rows?.get(name.replaceAll(/^`|`$/g, ''));
      if (now === undefined) return line;
      const isWritten = heading === 'The whole' || now < Number(number.replaceAll(',', ''));
      return isWritten ? line.replace(`| ${name} | ${number} |`, `| ${name} | ${sayNumber(now)} |`) : line;
    })
    .join('\n');
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const path = join(root, weightPath);
  const measured = weigh(root);
  const text = readFileSync(path, 'utf8');
  const written = process.argv.includes('--write') ? writeLower(text, measured) : text;
  if (written !== text) writeFileSync(path, written);
  const problems = compareWeights(readKept(written), measured);
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  process.exitCode = problems.length > 0 ? 1 : 0;
}
