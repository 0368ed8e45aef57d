/** `workbench sign` and the check of signatures, by a key that whoever gives files out has made. */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defineCommand, endCodes, refuse, type Surroundings, texts } from '../command.ts';

/** A public key with the number that signature files name it by. */
export type PublicKey = { id: Buffer; key: KeyObject };
export type SecretKey = { id: Buffer; key: KeyObject };

const idBytes = 8;
const keyBytes = 32;
const signatureBytes = 64;
const secretBytes = 158;
/** Marks a key; as the mark of a signature, that of a whole file, which nobody makes any more. */
const plain = Buffer.from('Ed');
const digested = Buffer.from('ED');
const checksum = Buffer.from('B2');
const untrusted = 'untrusted comment: ';
const trusted = 'trusted comment: ';

/** A key's number as minisign writes it. */
const showId = (id: Buffer): string => Buffer.from(id).reverse().toString('hex').toUpperCase();

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const importPublic = (bytes: Uint8Array) =>
  createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: encode(bytes) } });

/** Makes a pair of keys, as the texts of their two files. */
function makeKeyFiles(): { id: Buffer; secret: string; public: string } {
  const id = randomBytes(idBytes);
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const open = Buffer.from(x ?? '', 'base64url');
  const secret = Buffer.concat([Buffer.from(d ?? '', 'base64url'), open]);
  // Without a password: no function that derives a key, and its salt, its limits and the checksum are zero.
  const head = Buffer.concat([plain, Buffer.alloc(2), checksum, Buffer.alloc(32 + 8 + 8)]);
  const whole = Buffer.concat([head, id, secret, Buffer.alloc(32)]);
  const write = (comment: string, bytes: Buffer) => `${untrusted}${comment}\n${bytes.toString('base64')}\n`;
  return {
    id,
    secret: write('minisign secret key', whole),
    public: write(`minisign public key ${showId(id)}`, Buffer.concat([plain, id, open])),
  };
}

/** Reads bytes in base64, alone or in the second line of a file; null where they are not of that length. */
function readBytes(text: string, length: number): Buffer | null {
  const lines = text.trim().split(/\r?\n/);
  const line = lines[lines[0]?.startsWith(untrusted) ? 1 : 0] ?? '';
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(line) ? Buffer.from(line, 'base64') : Buffer.alloc(0);
  return bytes.length === length ? bytes : null;
}

/** Reads a public key, as its file or its one line; null where it cannot be read. */
export function readPublicKey(text: string): PublicKey | null {
  const bytes = readBytes(text, 2 + idBytes + keyBytes);
  if (bytes === null || !bytes.subarray(0, 2).equals(plain)) return null;
  return { id: bytes.subarray(2, 2 + idBytes), key: importPublic(bytes.subarray(2 + idBytes)) };
}

/** Reads a secret key; a sentence where it cannot be used. */
export function readSecretKey(text: string): SecretKey | string {
  const bytes = readBytes(text, secretBytes);
  if (bytes === null || !bytes.subarray(0, 2).equals(plain)) return 'is no secret key of minisign';
  if (bytes.readUInt16BE(2) !== 0)
    return 'has a password; make one without: minisign -G -W, or workbench sign --make-key';
  const [id, seed, open] = [bytes.subarray(54, 62), bytes.subarray(62, 94), bytes.subarray(94, 126)];
  const key = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', d: encode(seed), x: encode(open) },
  });
  return createPublicKey(key).export({ format: 'jwk' }).x === encode(open) ? { id, key } : 'is damaged';
}

/** The BLAKE2b digest of a file, of 64 bytes. */
export function digestFile(file: string): Buffer {
  const hash = createHash('blake2b512');
  const block = Buffer.alloc(1 << 20);
  const handle = openSync(file, 'r');
  try {
    const readBlock = () => readSync(handle, block, 0, block.length, null);
    for (let read = readBlock(); read > 0; read = readBlock()) hash.update(block.subarray(0, read));
  } finally {
    closeSync(handle);
  }
  return hash.digest();
}

/** The text of a signature file for a digest; the comment, a line, is signed with it. */
export function signDigest({ id, key }: SecretKey, digest: Buffer, comment: string): string {
  const signature = sign(null, digest, key);
  const whole = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key);
  const line = Buffer.concat([digested, id, signature]).toString('base64');
  return `${untrusted}signature from Decision Workbench\n${line}\n${trusted}${comment}\n${whole.toString('base64')}\n`;
}

/** Checks a signature file for a digest; returns its comment, or what is wrong, as the end of a sentence. */
export function checkSignature(
  { id, key }: PublicKey,
  digest: Buffer,
  text: string,
): { comment: string } | { fault: string } {
  const [first = '', line = '', third = '', last = ''] = text.split(/\r?\n/);
  const signature = readBytes(line, 2 + idBytes + signatureBytes);
  const whole = readBytes(last, signatureBytes);
  if (!first.startsWith(untrusted) || !third.startsWith(trusted) || signature === null || whole === null)
    return { fault: 'its signature file is none of minisign' };
  if (!signature.subarray(0, 2).equals(digested))
    return { fault: 'its signature is of a form that is not used any more; sign it again' };
  const signer = signature.subarray(2, 2 + idBytes);
  if (!signer.equals(id)) return { fault: `it was signed with another key, ${showId(signer)}, not ${showId(id)}` };
  const signed = signature.subarray(2 + idBytes);
  if (!verify(null, digest, key, signed)) return { fault: 'it is not as it was signed' };
  const comment = third.slice(trusted.length);
  if (!verify(null, Buffer.concat([signed, Buffer.from(comment)]), key, whole))
    return { fault: 'the comment of its signature is not as it was signed' };
  return { comment };
}

const suffix = '.minisig';
/** A file of keys or a signature is far smaller. */
const maxFileBytes = 10_000;

/** Reads a small file of text; null where there is none. */
function readSmallFile(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile() || found.size > maxFileBytes)
    throw refuse(`${file} is no key and no signature: it is too large.`);
  return readFileSync(file, 'utf8');
}

function requireFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw refuse(`${file} is no file.`);
}

function makeKey(name: string, say: (text: string) => void): void {
  const [secretFile, publicFile] = [`${name}.key`, `${name}.pub`];
  for (const file of [secretFile, publicFile])
    if (statSync(file, { throwIfNoEntry: false }) !== undefined)
      throw refuse(`${file} is there already; keys are not written over. Choose another name.`);
  const made = makeKeyFiles();
  writeFileSync(secretFile, made.secret, { flag: 'wx', mode: 0o600 });
  writeFileSync(publicFile, made.public, { flag: 'wx' });
  say(
    `Key ${showId(made.id)}: sign with ${secretFile}, which has no password, and give ${publicFile} to whoever checks.`,
  );
}

function signFiles(files: readonly string[], keyFile: string, { signal, say }: Surroundings): void {
  const key = readSecretKey(readSmallFile(keyFile) ?? '');
  if (typeof key === 'string') throw refuse(`${keyFile} ${key}.`);
  files.forEach(requireFile);
  for (const file of files) {
    signal.throwIfAborted();
    const comment = `timestamp:${Math.floor(Date.now() / 1_000)}\tfile:${path.basename(file)}\thashed`;
    writeFileSync(file + suffix, signDigest(key, digestFile(file), comment));
    say(`${file}${suffix} was written.`);
  }
}

/** Checks files against the signatures beside them; `given` is a public key or the file of one. */
export async function verifySigned(files: readonly string[], given: string, { answer, say, signal }: Surroundings) {
  const key = readPublicKey(readSmallFile(given) ?? given);
  if (key === null) throw refuse(`${given} is no public key of minisign, and no file of one.`);
  let failed = 0;
  for (const file of files) {
    signal.throwIfAborted();
    requireFile(file);
    const text = readSmallFile(file + suffix);
    if (text === null) throw refuse(`${file} is not signed: ${file}${suffix} is missing.`);
    const found = checkSignature(key, digestFile(file), text);
    if ('fault' in found) {
      failed += 1;
      say(`${file}: ${found.fault}.`);
    } else await answer({ file, key: showId(key.id), comment: found.comment });
  }
  return failed === 0 ? endCodes.done : endCodes.under;
}

const help = `workbench sign --make-key NAME
workbench sign FILE... --key NAME.key
Signs bundles or other files, so that whoever has the public key sees that they are as you gave them out. The signature
is a file beside each, FILE${suffix}, in the format of minisign; the file itself stays as it is.

  --make-key NAME   make a key: NAME.key to sign with, which is to be kept secret, and NAME.pub to check by
  --key FILE        sign with this key; those of minisign -G -W work, too

workbench verify FILE... --key NAME.pub checks, as decision-edge verify --key and minisign -V do.
`;

export const signCommand = defineCommand(
  help,
  texts('make-key', 'key'),
  async ({ values, operands }, around) => {
    const { key, 'make-key': name } = values;
    if (name !== undefined && (key !== undefined || operands.length > 0))
      throw refuse('Make a key first: --make-key stands alone.');
    if (name !== undefined) makeKey(name, around.say);
    else if (key === undefined || operands.length === 0) throw refuse('Name the files and, with --key, the key.');
    else signFiles(operands, key, around);
  },
  Number.POSITIVE_INFINITY,
);
