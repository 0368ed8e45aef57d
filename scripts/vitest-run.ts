/** Running vitest and counting its tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLines, run, type StepResult } from './steps.ts';

type VitestReport = {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

/** Runs vitest projects and counts their tests; a file that could not be loaded counts as one failed test. */
export async function runVitest(projects: readonly string[], env: Record<string, string> = {}): Promise<StepResult> {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-vitest-'));
  const reportPath = join(folder, 'report.json');
  const selected = projects.flatMap((project) => ['--project', project]);
  const { code, output } = await run(
    'vitest',
    ['run', ...selected, '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`],
    { env },
  );
  const name = `vitest ${projects.join(', ')}`;
  try {
    const report = JSON.parse(readFileSync(reportPath, 'utf8')) as VitestReport;
    const failures = listFailures(report);
    const isUnexplained = code !== 0 && failures.length === 0;
    if (isUnexplained) failures.push(lastLines(output));
    return { name, passed: report.numPassedTests, failed: failures.length, failures };
  } catch (error) {
    process.stdout.write(`vitest left no report: ${String(error)}\n`);
    return { name, passed: 0, failed: 1, failures: [lastLines(output)] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function listFailures(report: VitestReport): string[] {
  return report.testResults.flatMap((file) => {
    const tests = file.assertionResults.filter(({ status }) => status === 'failed');
    if (tests.length === 0 && file.status === 'failed') return [`${file.name}: ${file.message}`];
    return tests.map((test) => `${file.name}: ${test.fullName}\n${test.failureMessages[0]?.slice(0, 1_000) ?? ''}`);
  });
}
