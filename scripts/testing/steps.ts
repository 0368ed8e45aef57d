/** Running the steps of a check or test run, and reporting them. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../freshness.ts';
import { compareProcessor, describeGrown, keepFlaky, keepTimes, listNotKept } from './kept-runs.ts';

/** Seconds of processor that files of stories took, with all that they started. */
type FileTimes = readonly { file: string; processorS: number }[];

/** The result of one step of a check or test run. */
export type StepResult = {
  name: string;
  passed: number;
  failed: number;
  /** The failures, each in a line or a few. */
  failures: readonly string[];
  /** Seconds of processor, user and system, with all that it started; left out where the system does not say. */
  processorS?: number;
  /** Files of stories, with the processor time they took. */
  files?: FileTimes;
  /** Stories that passed only when they were repeated. */
  flaky?: readonly string[];
  /** The program that this machine lacks for the step, which was not run, and how to get it. */
  lacks?: string;
};

/** The result of a step that this machine cannot run: named at the end, and a failure where `isFailure`, as in CI. */
export function toLeftOut(name: string, lacks: string, isFailure = false): StepResult {
  const failed = process.env.CI || isFailure ? 1 : 0;
  return { name, passed: 0, failed, failures: failed ? [lacks] : [], lacks };
}

/** Lines of a failed step's output that are repeated in the summary. */
const repeatedLines = 12;

const binaries = join(projectRoot, 'node_modules', '.bin');

/** The environment of every step: tools and Node of this repository come first. */
export function stepEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}`, ...extra };
}

/** A finished program; `processorS` is NaN where the system does not say. */
type Finished = { code: number; output: string; processorS: number };

/** A shell that runs its arguments and says at its fourth file what the system counted for them. */
const timedShell = ['-c', '"$@"; code=$?; times >&3; exit $code', 'sh'];

/** Runs a program in the project's folder, shows its output as it comes, and resolves with what it came to. */
export function run(
  command: string,
  args: readonly string[],
  options: { env?: Record<string, string>; quiet?: boolean; cwd?: string } = {},
): Promise<Finished> {
  const [program, words] = process.platform === 'win32' ? [command, args] : ['sh', [...timedShell, command, ...args]];
  return new Promise((resolve) => {
    const child = spawn(program, [...words], {
      cwd: options.cwd ?? projectRoot,
      env: stepEnvironment(options.env),
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    let output = '';
    let times = '';
    const take = (stream: NodeJS.WriteStream) => (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (!options.quiet) stream.write(chunk);
    };
    child.stdout?.on('data', take(process.stdout));
    child.stderr?.on('data', take(process.stderr));
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      times += chunk.toString('utf8');
    });
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n`, processorS: Number.NaN }));
    child.on('close', (code) => resolve({ code: code ?? 1, output, processorS: sumTimes(times) }));
  });
}

/** The seconds of what a shell ran, by the second line of its `times`: `0m1.50s 0m0.20s`, user and system. */
function sumTimes(times: string): number {
  const found = [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return found.length === 2
    ? found.reduce((sum, [, minutes, s]) => sum + Number(minutes) * 60 + Number(s), 0)
    : Number.NaN;
}

/** Runs one all-or-nothing step; its output is shown only if it fails. */
export async function check(
  name: string,
  command: string,
  args: readonly string[],
  cwd = projectRoot,
): Promise<StepResult> {
  const { code, output, processorS } = await run(command, args, { cwd, quiet: true });
  return report(name, code === 0, output, processorS);
}

/** Prints one line for a finished step (and its output where it failed) and makes its result. */
export function report(name: string, ok: boolean, output: string, processorS: number): StepResult {
  if (!ok) process.stdout.write(`${output}\n`);
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${processorS.toFixed(1)} s of processor)\n`);
  return ok
    ? { name, passed: 1, failed: 0, failures: [], processorS }
    : { name, passed: 0, failed: 1, failures: [lastLines(output)], processorS };
}

/** Runs a program whose `flag` names a file for its report in JUnit's form, and counts the tests in that. */
export async function runReporting(
  name: string,
  command: string,
  args: readonly string[],
  flag: string,
  cwd = projectRoot,
): Promise<StepResult> {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-report-'));
  const path = join(folder, 'report.xml');
  const { code, output, processorS } = await run(command, [...args, `${flag}=${path}`], { cwd });
  const report = existsSync(path) ? readFileSync(path, 'utf8') : '';
  rmSync(folder, { recursive: true, force: true });
  const count = (attribute: string) =>
    [...report.matchAll(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`, 'g'))].reduce(
      (sum, [, found]) => sum + Number(found),
      0,
    );
  const failed = count('failures') + count('errors');
  const passed = Math.max(0, count('tests') - failed - count('skipped'));
  if (code !== 0 && failed === 0) return { name, passed, failed: 1, failures: [lastLines(output)], processorS };
  return { name, passed, failed, failures: listJunitFailures(report), processorS };
}

/** The end of a step's output, where programs say what is wrong. */
function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-repeatedLines).join('\n');
}

/** The failed tests of a report in JUnit's form, each with the first line of its message. */
function listJunitFailures(report: string): string[] {
  const failed = /<testcase\b[^>]*?\bname="([^"]*)"[^>]*>\s*<(?:failure|error)\b(?:[^>]*?\bmessage="([^"]*)")?/g;
  return [...report.matchAll(failed)].map(([, name, message]) => `${name}: ${message?.split('&#10;')[0] ?? ''}`);
}

/** Files that are named as the dearest at the end of a run. */
const namedFiles = 20;

/** How long a whole run took, and the most processor time that it may take. */
export type Duration = { tookMs: number; processorS: number; limitS: number };

/**
 * Prints each step with its processor time, how long all of them took, the dearest files and those that grew since the
 * kept run, the stories that passed only when repeated, at the end every failure, as logs are often cut to their ends,
 * what was not run, and as the last line `N passed, N failed`; a failure becomes the exit code. In CI a file that grew
 * is a failure, and a run over its limit.
 */
export async function conclude(results: readonly StepResult[], duration?: Duration): Promise<void> {
  process.stdout.write('\n');
  const say = ({ name, passed, failed, processorS = Number.NaN }: StepResult) =>
    process.stdout.write(
      `${failed === 0 ? 'ok    ' : 'FAILED'} ${sayS(processorS)}  ${name}: ${passed} passed, ${failed} failed\n`,
    );
  for (const result of results) say(result);
  const files = results.flatMap((result) => result.files ?? []).sort((a, b) => b.processorS - a.processorS);
  if (files.length > 0) process.stdout.write('\nThe dearest files, in seconds of processor:\n');
  for (const { file, processorS } of files.slice(0, namedFiles)) {
    process.stdout.write(`${sayS(processorS)}  ${file}\n`);
  }
  const flaky = results.flatMap((result) => result.flaky ?? []);
  // A story that was repeated took its time twice, and is named for that.
  const once = files.filter(({ file }) => !flaky.some((story) => story.startsWith(`${file}: `)));
  const costs = duration === undefined ? [] : [await weighCosts(once, duration)];
  keepTimes(files);
  if (flaky.length > 0) process.stdout.write('\nFlaky, passed only when repeated; one that shows twice is mended:\n');
  for (const [story, days] of keepFlaky(flaky)) process.stdout.write(`${days.join(', ')}  ${story}\n`);
  const red = [...results, ...costs].filter(({ failed }) => failed > 0);
  if (red.length > 0) process.stdout.write('\n');
  for (const result of red) {
    say(result);
    for (const failure of result.failures) process.stdout.write(`${failure.replace(/^/gm, '       ')}\n`);
  }
  const leftOut = results.flatMap(({ name, lacks }) => (lacks === undefined ? [] : [`${name} (${lacks})`]));
  if (leftOut.length > 0) process.stdout.write(`\nNot run: ${leftOut.join('; ')}\n`);
  const total = (key: 'passed' | 'failed') => [...results, ...costs].reduce((sum, result) => sum + result[key], 0);
  process.stdout.write(`\n${total('passed')} passed, ${total('failed')} failed\n`);
  process.exitCode = total('failed') > 0 ? 1 : 0;
}

const sayS = (seconds: number) => (Number.isNaN(seconds) ? '      ' : seconds.toFixed(1).padStart(6));

/** Says what the run cost and which files grew, beside the speed of this machine; in CI both fail. */
async function weighCosts(files: FileTimes, { tookMs, processorS, limitS }: Duration): Promise<StepResult> {
  const slower = compareProcessor(files);
  const sum = `${Math.round(processorS)} s of processor, at most ${limitS}`;
  process.stdout.write(`\nTook ${Math.round(tookMs / 1_000)} s; ${sum} on the machine of the kept run`);
  process.stdout.write(`, whose median file took ${(1 / slower).toFixed(2)} times as long\n`);
  const grown = await describeGrown(files);
  if (grown.length > 0) process.stdout.write(`\nGrew since the kept run:\n${grown.join('\n')}\n`);
  const notKept = listNotKept(files).length;
  if (notKept > 0) process.stdout.write(`\nThe kept run lacks ${notKept} of these files: renew it with --keep\n`);
  const failures = [...(processorS / slower > limitS ? [sum] : []), ...grown];
  const failed = process.env.CI && notKept === 0 ? failures.length : 0;
  return { name: 'processor time', passed: 0, failed, failures: failed ? failures : [] };
}
