/** What is written in TypeScript and in Python stands in one list, which only shrinks. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/decisions/twins.md'), 'utf8');
/** How many pairs there are: the number only falls. */
const maxTwins = 31;

it('names each file of the Python package once, and only files and cases that there are', () => {
  const files = globSync('**/*.py', { cwd: join(root, 'edge/src/decision_edge') });
  const named = [...text.matchAll(/`([\w/]+\.py)`/g)].map(([, file]) => file);
  expect(named.sort()).toEqual(files.sort());
  const twins = [...text.matchAll(/^\| `[\w/]+\.py` \| `([\w/-]+\.ts)` \|/gm)].map(([, file = '']) => file);
  expect(twins).toHaveLength(maxTwins);
  expect(twins.filter((file) => !existsSync(join(root, 'src', file)))).toEqual([]);
  const cases = [...text.matchAll(/`([\w-]+\.json)`/g)].map(([, file = '']) => file);
  expect(cases.filter((file) => !existsSync(join(root, 'test/cases', file)))).toEqual([]);
});
