import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { createTokenizer } from '../../../src/engine/text/tokenizer.ts';

const file = new URL('../../../resources/models/all-MiniLM-L6-v2/tokenizer.json', import.meta.url);
const tokenizer = createTokenizer(JSON.parse(readFileSync(file, 'utf8')));

const random = createRandom(1);
const pick = (from: number, count: number) => String.fromCodePoint(from + Math.floor(random() * count));
const write = (length: number, next: (at: number) => string) => Array.from({ length }, (_, at) => next(at)).join('');

it.each<[string, string]>([
  ['ideographs', write(20_000, () => pick(0x4e00, 20_000))],
  ['ideographs between letters', write(10_000, () => `a${pick(0x4e00, 20_000)}`)],
  ['words of 99 letters', write(200, () => `${write(99, () => pick(97, 26))} `)],
  ['words of 99 equal letters', `${'q'.repeat(99)} `.repeat(200)],
  ['syllables that fall apart', write(20_000, (at) => (at % 4 === 0 ? ' ' : pick(0xac00, 11_000)))],
  ['one long word', 'a'.repeat(20_000)],
])('the tokenizer reads 20,000 characters soon: %s [FEA-4]', (_name, text) => {
  tokenizer.encode(text.slice(0, 2_000));
  const before = process.cpuUsage();
  tokenizer.encode(text);
  const { user, system } = process.cpuUsage(before);
  // Four times what was measured, because test machines are busy.
  expect((user + system) / 1000).toBeLessThan(250);
});
