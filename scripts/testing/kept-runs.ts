/** Records from run to run: the processor time of each file of stories, and the days on which a story was flaky. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../freshness.ts';
import { run } from './steps.ts';

type FileTime = { file: string; processorS: number };

/** Seconds of a whole run, kept in the repository; `npm run test:all -- --keep` writes them. */
const keptPath = 'test/bench/results/processor-seconds.json';
/** The same of this run, and the days of flaky stories: artefacts of the workflow. */
const timesPath = 'test-results/processor-seconds.json';
const flakyPath = 'test-results/flaky.json';

/** A file has grown by both of these, beside the median file. */
const minGrowth = 1.5;
const minMoreS = 5;

function readJson<T>(path: string): Record<string, T> {
  const whole = join(projectRoot, path);
  return existsSync(whole) ? JSON.parse(readFileSync(whole, 'utf8')) : {};
}

function writeJson(path: string, value: object): void {
  const whole = join(projectRoot, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, `${JSON.stringify(value, null, 2)}\n`);
}

/** Seconds of processor of each file in the kept run. */
export const readKeptTimes = (): Record<string, number> => readJson<number>(keptPath);

/** Files that the kept run lacks: it was made before them, and holds nothing until it is renewed. */
export function listNotKept(files: readonly FileTime[]): string[] {
  const kept = readKeptTimes();
  return files.map(({ file }) => file).filter((file) => kept[file] === undefined);
}

/** How many times the seconds of the kept run its median file takes here: what another processor makes of them. */
export function compareProcessor(files: readonly FileTime[]): number {
  const kept = readKeptTimes();
  const ratios = files.flatMap(({ file, processorS }) =>
    (kept[file] ?? 0) >= 1 ? [processorS / Number(kept[file])] : [],
  );
  return ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 1;
}

/**
 * The files that grew by half and by more than five seconds since the kept run, each with the commit that last changed
 * it since, or the newest commit where none did: a sentence a file, the most seconds first.
 */
export async function describeGrown(files: readonly FileTime[]): Promise<string[]> {
  const kept = readKeptTimes();
  const slower = compareProcessor(files);
  const grown = files
    .map(({ file, processorS }) => ({ file, processorS, keptS: (kept[file] ?? Number.POSITIVE_INFINITY) * slower }))
    .filter(({ processorS, keptS }) => processorS > keptS * minGrowth && processorS > keptS + minMoreS)
    .sort((a, b) => b.processorS - b.keptS - (a.processorS - a.keptS));
  return Promise.all(
    grown.map(async ({ file, processorS, keptS }) => {
      const now = `${processorS.toFixed(1)} s of processor, ${keptS.toFixed(1)} s expected`;
      return `${file}: ${now}; last changed by ${await findCommit(file)}`;
    }),
  );
}

async function findCommit(file: string): Promise<string> {
  const log = (...args: string[]) => run('git', ['log', '-1', '--format=%h %s', ...args], { quiet: true });
  const renewed = await log('--format=%H', '--', keptPath);
  const since = renewed.code === 0 && renewed.output !== '' ? [`${renewed.output.trim()}..HEAD`] : [];
  const found = (await log(...since, '--', file)).output.trim();
  return found || `the sources, up to ${(await log()).output.trim()}`;
}

/** Keeps the times of this run as its artefact, and with `--keep` as what later runs are compared with. */
export function keepTimes(files: readonly FileTime[]): void {
  if (files.length === 0) return;
  const seconds = Object.fromEntries(
    files
      .map(({ file, processorS }) => [file, Math.round(processorS * 10) / 10] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeJson(timesPath, seconds);
  if (process.argv.includes('--keep')) writeJson(keptPath, seconds);
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
