/** Running the steps of a check or test run, and reporting them. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../freshness.ts';
import { keepFlaky, keepTimes, listGrown } from './kept-runs.ts';

/** The result of one step of a check or test run. */
export type StepResult = {
  name: string;
  passed: number;
  failed: number;
  /** The failures, each in a line or a few. */
  failures: readonly string[];
  /** Files of stories, with the time they took. */
  files?: readonly { file: string; tookMs: number }[];
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

/** Runs a program in the project's folder, shows its output as it comes, and resolves with its exit code and output. */
export function run(
  command: string,
  args: readonly string[],
  options: { env?: Record<string, string>; quiet?: boolean; cwd?: string } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], { cwd: options.cwd ?? projectRoot, env: stepEnvironment(options.env) });
    let output = '';
    const take = (stream: NodeJS.WriteStream) => (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (!options.quiet) stream.write(chunk);
    };
    child.stdout.on('data', take(process.stdout));
    child.stderr.on('data', take(process.stderr));
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs one all-or-nothing step; its output is shown only if it fails. */
export async function check(name: string, command: string, args: readonly string[]): Promise<StepResult> {
  const startedMs = performance.now();
  const { code, output } = await run(command, args, { quiet: true });
  return report(name, code === 0, output, performance.now() - startedMs);
}

/** Prints one line for a finished step (and its output where it failed) and makes its result. */
export function report(name: string, ok: boolean, output: string, elapsedMs: number): StepResult {
  if (!ok) process.stdout.write(`${output}\n`);
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${(elapsedMs / 1000).toFixed(1)} s)\n`);
  return ok
    ? { name, passed: 1, failed: 0, failures: [] }
    : { name, passed: 0, failed: 1, failures: [lastLines(output)] };
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
  const { code, output } = await run(command, [...args, `${flag}=${path}`], { cwd });
  const report = existsSync(path) ? readFileSync(path, 'utf8') : '';
  rmSync(folder, { recursive: true, force: true });
  const count = (attribute: string) =>
    [...report.matchAll(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`, 'g'))].reduce(
      (sum, [, found]) => sum + Number(found),
      0,
    );
  const failed = count('failures') + count('errors');
  const passed = Math.max(0, count('tests') - failed - count('skipped'));
  if (code !== 0 && failed === 0) return { name, passed, failed: 1, failures: [lastLines(output)] };
  return { name, passed, failed, failures: listJunitFailures(report) };
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

/** Files that are named as the slowest, or as those that grew most, at the end of a run. */
const namedFiles = 10;

/**
 * Prints each step, how long all of them took, the slowest files and those that grew most since the kept run, the
 * stories that passed only when repeated, at the end every failure, as logs are often cut to their ends, what was not
 * run, and as the last line `N passed, N failed`; a failure becomes the exit code.
 */
export function conclude(results: readonly StepResult[], tookMs?: number): void {
  process.stdout.write('\n');
  const say = ({ name, passed, failed }: StepResult) =>
    process.stdout.write(`${failed === 0 ? 'ok    ' : 'FAILED'} ${name}: ${passed} passed, ${failed} failed\n`);
  for (const result of results) say(result);
  if (tookMs !== undefined) process.stdout.write(`\nTook ${Math.round(tookMs / 1_000)} s\n`);
  const files = results.flatMap((result) => result.files ?? []).sort((a, b) => b.tookMs - a.tookMs);
  if (files.length > 0) process.stdout.write('\nThe slowest files:\n');
  for (const { file, tookMs } of files.slice(0, namedFiles)) {
    process.stdout.write(`${(tookMs / 1_000).toFixed(1).padStart(7)} s  ${file}\n`);
  }
  const grown = listGrown(files).slice(0, namedFiles);
  if (grown.length > 0) process.stdout.write('\nGrew most, beside the median file of the kept run:\n');
  for (const { file, by } of grown) process.stdout.write(`${`× ${by.toFixed(1)}`.padStart(9)}  ${file}\n`);
  keepTimes(files);
  const flaky = results.flatMap((result) => result.flaky ?? []);
  if (flaky.length > 0) process.stdout.write('\nFlaky, passed only when repeated; one that shows twice is mended:\n');
  for (const [story, days] of keepFlaky(flaky)) process.stdout.write(`${days.join(', ')}  ${story}\n`);
  const red = results.filter(({ failed }) => failed > 0);
  if (red.length > 0) process.stdout.write('\n');
  for (const result of red) {
    say(result);
    for (const failure of result.failures) process.stdout.write(`${failure.replace(/^/gm, '       ')}\n`);
  }
  const leftOut = results.flatMap(({ name, lacks }) => (lacks === undefined ? [] : [`${name} (${lacks})`]));
  if (leftOut.length > 0) process.stdout.write(`\nNot run: ${leftOut.join('; ')}\n`);
  const total = (key: 'passed' | 'failed') => results.reduce((sum, result) => sum + result[key], 0);
  process.stdout.write(`\n${total('passed')} passed, ${total('failed')} failed\n`);
  process.exitCode = total('failed') > 0 ? 1 : 0;
}
