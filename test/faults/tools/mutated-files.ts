/** Example files of every format, each a little damaged: as bytes, or within what is packed in a workbook. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { unzipSync, zipSync } from 'fflate';

const folder = path.join(import.meta.dirname, '../../fixtures/cases');
const samples = globSync('**/*.*', { cwd: folder }).sort();

/** What is put into files: signs of every format, and values at the limits of what can be read. */
const tokens = [
  ...['"', "'", ',', ';', '\t', '|', '\n', '\r', '\r\n\r\n', '\0', '\ufeff', 'é', '😀', '\u2028', '=1+1', '#N/A'],
  ...['{', '}', '[', ']', ':', '[[', '{"a":', 'null', 'NaN', '-Infinity', '1e999', '12345678901234567890', '\\ud800'],
  ...['"__proto__":1,', '"input":', '"label":["a","b"],', '"label":{"verdict":"x"},', '}\n{', ']\n['],
  ...['<', '>', '</', '/>', '&amp;', '&#0;', '</row>', '<row r="0">', '<c r="ZZZZ9">', '<c t="e"><v>#REF!</v></c>'],
  ...[' t="s"', ' t="d"', ' s="999"', ' r="XFD1048576"', ' hidden="1"', '<v>1e400</v>', '<mergeCell ref="A1:Z9"/>'],
  ...[
    '<col min="1" max="99999" hidden="1"/>',
    '<f>A1</f>',
    'formatCode="[h]:mm"',
    '<table><tr><td rowspan=9 colspan=9>',
  ],
];
const part = fc.oneof(
  fc.constantFrom(...tokens).map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
);
/** At a place between 0 and 1 some bytes are replaced by others, cut off to the end, or written twice. */
const change = fc.record({
  kind: fc.constantFrom('replace', 'insert', 'insert', 'delete', 'cut', 'repeat'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(40),
  part,
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function applyChange(bytes: Buffer, { kind, at, length, part }: Change): Buffer {
  const from = Math.floor(at * bytes.length);
  const [before, after] = [bytes.subarray(0, from), bytes.subarray(from)];
  if (kind === 'cut') return before;
  if (kind === 'repeat') return Buffer.concat([before, after.subarray(0, length), after]);
  if (kind === 'delete') return Buffer.concat([before, after.subarray(length)]);
  return Buffer.concat([before, part, kind === 'insert' ? after : after.subarray(part.length)]);
}

const applyAll = (bytes: Buffer, changes: readonly Change[]) => changes.reduce(applyChange, bytes);

/** Changes a part of a workbook, which stays an archive that can be unpacked. */
function changeWithin(bytes: Buffer, place: number, changes: readonly Change[]): Buffer {
  const parts = unzipSync(bytes);
  const names = Object.keys(parts).filter((name) =>
    /sheet\d*\.xml$|workbook\.xml|styles|sharedStrings|rels$/.test(name),
  );
  const name = names[place % names.length] ?? '';
  return Buffer.from(zipSync({ ...parts, [name]: applyAll(Buffer.from(parts[name] ?? []), changes) }));
}

export type MutatedFile = { name: string; bytes: Buffer };

/** A sample with one to three changes. */
export const mutatedFiles: fc.Arbitrary<MutatedFile> = fc
  .tuple(fc.nat(samples.length - 1), fc.array(change, { minLength: 1, maxLength: 3 }), fc.nat(9))
  .map(([index, changes, place]) => {
    const name = samples[index] ?? '';
    const bytes = readFileSync(path.join(folder, name));
    const isPacked = name.endsWith('.xlsx') && place > 1 && !name.includes('cut');
    return {
      name: path.basename(name),
      bytes: isPacked ? changeWithin(bytes, place, changes) : applyAll(bytes, changes),
    };
  });
