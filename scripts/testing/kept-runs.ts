/** Records of earlier runs: how long files of stories took, and which stories passed only when repeated. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../freshness.ts';

type FileTime = { file: string; tookMs: number };

/** The times of a whole run on a quiet machine, kept in the repository; `npm run test:all -- --keep` writes them. */
const keptTimesPath = join(projectRoot, 'test/bench/results/story-seconds.json');
/** The same of this run, and the days of flaky stories: artefacts of the workflow. */
const timesPath = join(projectRoot, 'test-results/story-seconds.json');
const flakyPath = join(projectRoot, 'test-results/flaky.json');

/** A file that takes less than this in both runs says nothing by its growth. */
const minSeconds = 2;
/** Below this a file has not grown. */
const minGrowth = 1.3;

const readJson = <T>(path: string): Record<string, T> =>
  existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};

function writeJson(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Seconds of each file in the kept run. */
export const readKeptTimes = (): Record<string, number> => readJson<number>(keptTimesPath);

/**
 * The files that take longer than in the kept run, by how many times, most seconds first. Growth is beside that of the
 * median file, so that a slower machine is no growth.
 */
export function listGrown(files: readonly FileTime[]): { file: string; by: number }[] {
  const kept = readKeptTimes();
  const both = files.flatMap(({ file, tookMs }) => {
    const before = kept[file];
    return before === undefined || Math.max(before, tookMs / 1_000) < minSeconds
      ? []
      : [{ file, seconds: tookMs / 1_000, ratio: tookMs / 1_000 / Math.max(before, 0.1) }];
  });
  const median = both.map(({ ratio }) => ratio).sort((a, b) => a - b)[Math.floor(both.length / 2)] ?? 1;
  return both
    .map(({ file, seconds, ratio }) => ({ file, by: ratio / median, extra: seconds - (seconds * median) / ratio }))
    .filter(({ by }) => by >= minGrowth)
    .sort((a, b) => b.extra - a.extra);
}

/** Keeps the times of this run as its artefact, and with `--keep` as what later runs are compared with. */
export function keepTimes(files: readonly FileTime[]): void {
  if (files.length === 0) return;
  const seconds = Object.fromEntries(
    files
      .map(({ file, tookMs }) => [file, Math.round(tookMs / 100) / 10] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeJson(timesPath, seconds);
  if (process.argv.includes('--keep')) writeJson(keptTimesPath, seconds);
}

/** Adds today to the days on which each of these stories was flaky, and returns them; the file keeps earlier runs. */
export function keepFlaky(stories: readonly string[]): [story: string, days: string[]][] {
  if (stories.length === 0) return [];
  const kept = readJson<string[]>(flakyPath);
  const today = new Date().toISOString().slice(0, 10);
  const seen = stories.map((story): [string, string[]] => [story, [...(kept[story] ?? []), today]]);
  writeJson(flakyPath, { ...kept, ...Object.fromEntries(seen) });
  return seen;
}
