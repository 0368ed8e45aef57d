/** Running the steps of a check or test run, and reporting them. */
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { projectRoot } from './freshness.ts';

/** What one step of a check or test run came to; `failures` says of each failure what failed, in a line or a few. */
export type StepResult = { name: string; passed: number; failed: number; failures: readonly string[] };

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

/** The end of a step's output, where programs say what is wrong. */
export function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-repeatedLines).join('\n');
}

/** The failed tests of a report in JUnit's form, each with the first line of its message. */
export function listJunitFailures(report: string): string[] {
  const failed = /<testcase\b[^>]*?\bname="([^"]*)"[^>]*>\s*<(?:failure|error)\b(?:[^>]*?\bmessage="([^"]*)")?/g;
  return [...report.matchAll(failed)].map(([, name, message]) => `${name}: ${message?.split('&#10;')[0] ?? ''}`);
}
