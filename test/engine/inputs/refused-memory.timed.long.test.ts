/** Small files that would unfold to gigabytes: each is refused before it does. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutate } from '../deciding/mutated-bundles.ts';

const mebibyte = 1024 * 1024;
const script = fileURLToPath(new URL('measure-refusal.ts', import.meta.url));
const repeat = (entry: string, before: string, text: string, count: number, after = '') => ({
  op: 'repeat',
  entry,
  before,
  text,
  count,
  after,
});

describe('a file that is refused takes at most 100 MB', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'workbench-refused-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['39 MB of empty lists', repeat('reasons.json', '{"by_option":[', '[],', 13 * mebibyte, '[]]}')],
    ['as many empty lists as an entry may have bytes', repeat('features.json', '[', '[],', 2 * mebibyte, '[]]')],
    ['a long text with one wide character', repeat('features.json', '["🙂', 'x', 7 * mebibyte, '"]')],
    ['golden lines of empty objects', repeat('golden.jsonl', '', '{}\n', 9 * mebibyte)],
    ['one endless golden line', repeat('golden.jsonl', '{"input":', ' ', 30 * mebibyte)],
    ['a large model card', repeat('model-card.md', '', 'x', 60 * mebibyte)],
  ])('%s', (_name, operation) => {
    const [honest, hostile] = [join(folder, 'honest.zip'), join(folder, 'hostile.zip')];
    writeFileSync(honest, mutate({ name: '', verdict: 'accepted' }));
    writeFileSync(hostile, mutate({ name: '', verdict: 'refused', parts: [operation] }));
    expect(statSync(hostile).size).toBeLessThan(mebibyte);
    const output = execFileSync(process.execPath, [script, honest, hostile], { encoding: 'utf8' });
    const { grownMb, message } = JSON.parse(output) as { grownMb: number; message: string };
    expect(message).toContain('Bundle entry');
    expect(grownMb).toBeLessThan(100);
  });
});
