/** Whether every statement of the interface is cited by a test. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Requirement, requirements } from '../test/requirements.ts';
import { projectRoot } from './freshness.ts';

const citation = /\[([A-Z]{3}-\d{1,3})\]/g;

/** Ids in brackets over all test files, with the files that name them. */
function readCitations(root: string): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const file of globSync(['test/**/*.test.{ts,tsx}', 'edge/tests/**/{test_*,*_story}.py'], { cwd: root })) {
    for (const [, id = ''] of readFileSync(join(root, file), 'utf8').matchAll(citation)) {
      cited.set(id, [...(cited.get(id) ?? []), file]);
    }
  }
  return cited;
}

/** Ids that long stories alone show: `npm test` says nothing of them. */
export function listLongOnly(cited: ReadonlyMap<string, readonly string[]> = readCitations(projectRoot)): string[] {
  return [...cited].filter(([, files]) => files.every((file) => file.includes('.long.test.'))).map(([id]) => id);
}

/** Problems between the rows of test/requirements.ts and the tests that cite them. */
export function findRequirementProblems(
  rows: Readonly<Record<string, Requirement>> = requirements,
  cited: ReadonlyMap<string, readonly string[]> = readCitations(projectRoot),
): string[] {
  const unknown = [...cited].filter(([id]) => rows[id] === undefined);
  return [
    ...unknown.map(([id, files]) => `${files[0]} cites ${id}, which is no row of test/requirements.ts`),
    ...Object.entries(rows).flatMap(([id, row]) => {
      const file = cited.get(id)?.[0];
      if (typeof row === 'string') return file === undefined ? [`no test cites ${id}: ${row}`] : [];
      return file === undefined ? [] : [`${id} is waived, but ${file} cites it: remove the waiver`];
    }),
  ];
}
