/** The flags of V8 stand twice, because npm reads its scripts from JSON: both places say the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverFlags } from '../../scripts/server-flags.ts';

it('npm run workbench starts Node with the flags of the server', () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(scripts.workbench).toBe(`node ${serverFlags.join(' ')} scripts/workbench.ts`);
});
