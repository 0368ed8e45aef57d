/** The flags of V8 stand three times, because npm and the system read theirs from texts: all places say the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverFlags } from '../../scripts/server-flags.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

it('npm run workbench and the command decision-workbench start Node with the flags of the server', () => {
  const { scripts, bin } = JSON.parse(read('package.json'));
  const command = bin['decision-workbench'];
  expect(scripts.workbench).toBe(`node ${serverFlags.join(' ')} ${command}`);
  expect(read(command).split('\n')[0]).toBe(`#!/usr/bin/env -S node ${serverFlags.join(' ')}`);
});
