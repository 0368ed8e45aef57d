/** Running vitest and counting its tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type StepResult } from './steps.ts';

type VitestReport = {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
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
    const unloaded = report.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    ).length;
    const failed = report.numFailedTests + unloaded;
    return { name, passed: report.numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed, output };
  } catch (error) {
    process.stdout.write(`vitest left no report: ${String(error)}\n`);
    return { name, passed: 0, failed: 1, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
