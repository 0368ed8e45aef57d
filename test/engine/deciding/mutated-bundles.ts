/** The shared mutations of bundles, applied: edge/tests/mutated_bundles.py does the same in Python. */
import { readFileSync } from 'node:fs';
import { strFromU8, strToU8 } from 'fflate';
import { writeZip } from '../../../src/engine/bundle/zip.ts';
import { renameEntry, sha256 } from '../bundle-fixture.ts';

type Content = string | { base64: string };
type Operation = {
  op: string;
  entry?: string;
  path?: (string | number)[];
  value?: unknown;
  find?: string;
  with?: string;
  text?: string;
  base64?: string;
  before?: string;
  after?: string;
  count?: number;
  record?: 'central' | 'local' | 'end';
  at?: number;
  hex?: string;
};
/** `parts` are changed before the entries are listed, `manifest` before its digest is made, `sealed` and `zip` after. */
export type Mutation = {
  name: string;
  verdict: 'accepted' | 'refused';
  base?: string;
  parts?: Operation[];
  manifest?: Operation[];
  sealed?: Operation[];
  zip?: Operation[];
};
type Cases = { bases: Record<string, Record<string, Content>>; mutations: Mutation[] };

const cases = JSON.parse(readFileSync(new URL('../../cases/mutated-bundles.json', import.meta.url), 'utf8')) as Cases;

export const { mutations } = cases;

const toBytes = (content: Content): Uint8Array =>
  typeof content === 'string' ? strToU8(content) : new Uint8Array(Buffer.from(content.base64, 'base64'));

/** The bytes of a mutated bundle. */
export function mutate({ base = 'tabular', parts = [], manifest = [], sealed = [], zip = [] }: Mutation): Uint8Array {
  const entries = new Map(Object.entries(cases.bases[base]!).map(([name, content]) => [name, toBytes(content)]));
  for (const operation of parts) changeEntry(entries, operation);
  listFiles(entries);
  for (const operation of manifest) changeEntry(entries, operation);
  entries.set('manifest.sha256', strToU8(`${sha256(entries.get('manifest.json')!)}  manifest.json\n`));
  for (const operation of sealed) changeEntry(entries, operation);
  const files = [...entries].map(([name, bytes]) => ({ name, bytes, stored: false }));
  for (const { op, entry = '' } of zip) {
    if (op === 'twice') files.push({ ...files.find(({ name }) => name === entry)!, name: '?'.repeat(entry.length) });
  }
  // The library that packs cannot write this name.
  const [name, placeholder] = ['__proto__', '*********'];
  const packed = writeZip(files.map((file) => (file.name === name ? { ...file, name: placeholder } : file)));
  return zip.reduce(changeZip, renameEntry(packed, placeholder, name));
}

/** Lists size and digest of every entry, where the manifest still is an object. */
function listFiles(entries: Map<string, Uint8Array>): void {
  const text = strFromU8(entries.get('manifest.json')!);
  if (!text.endsWith('}')) return;
  const files = [...entries].filter(([name]) => name !== 'manifest.json');
  const facts = files.map(([name, bytes]) => [name, { sha256: sha256(bytes), size_bytes: bytes.length }]);
  const listed = JSON.stringify(Object.fromEntries(facts));
  entries.set('manifest.json', strToU8(`${text.slice(0, -1)},"files":${listed}}`));
}

function changeEntry(entries: Map<string, Uint8Array>, operation: Operation): void {
  const { op, entry = '', path = [], before = '', after = '', text = '', count = 0 } = operation;
  const present = strFromU8(entries.get(entry) ?? new Uint8Array());
  if (op === 'drop') entries.delete(entry);
  else if (op === 'put') entries.set(entry, toBytes(operation.base64 ? { base64: operation.base64 } : text));
  else if (op === 'trim') entries.set(entry, strToU8(present.trimEnd()));
  else if (op === 'repeat') entries.set(entry, strToU8(before + text.repeat(count) + after));
  else if (op === 'replace') {
    if (!present.includes(operation.find!)) throw new Error(`${entry} does not hold ${operation.find}`);
    entries.set(entry, strToU8(present.replace(operation.find!, () => operation.with!)));
  } else {
    const root = JSON.parse(present) as Record<string, unknown>;
    const parent = path.slice(0, -1).reduce<Record<string, unknown>>((value, key) => value[key] as typeof root, root);
    if (op === 'set') parent[path.at(-1)!] = operation.value;
    else delete parent[path.at(-1)!];
    entries.set(entry, strToU8(JSON.stringify(root)));
  }
}

const join = (...chunks: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(chunks));

function changeZip(bytes: Uint8Array, operation: Operation): Uint8Array {
  const { op, text = '', count = 0, record, entry = '', at = 0, hex = '' } = operation;
  if (op === 'prepend') return join(strToU8(text), bytes);
  if (op === 'append') return join(bytes, strToU8(text));
  if (op === 'cut') return bytes.slice(0, Math.max(0, bytes.length - count));
  if (op === 'twice') return renameEntry(bytes, '?'.repeat(entry.length), entry);
  const end = bytes.length - 22;
  const directory = Buffer.from(bytes).readUInt32LE(end + 16);
  if (op === 'wedge') {
    const wedged = Buffer.from(join(bytes.slice(0, directory), strToU8(text), bytes.slice(directory)));
    wedged.writeUInt32LE(directory + text.length, wedged.length - 6);
    return new Uint8Array(wedged);
  }
  const name = Buffer.from(entry);
  const starts = {
    end,
    local: Buffer.from(bytes).indexOf(name) - 30,
    central: Buffer.from(bytes).indexOf(name, directory) - 46,
  };
  const poked = bytes.slice();
  poked.set(Buffer.from(hex, 'hex'), starts[record!] + at);
  return poked;
}
