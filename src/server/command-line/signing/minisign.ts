/**
 * Signature files in minisign's format: Ed25519 (RFC 8032) over the BLAKE2b digest of a file, and over the signature
 * with its comment. The program minisign checks what is signed here, and the other way round (keys without a password).
 */
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
import { closeSync, openSync, readSync } from 'node:fs';

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
export const showId = (id: Buffer): string => Buffer.from(id).reverse().toString('hex').toUpperCase();

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const importPublic = (bytes: Uint8Array) =>
  createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: encode(bytes) } });

/** Makes a pair of keys, as the texts of their two files. */
export function makeKeyFiles(): { id: Buffer; secret: string; public: string } {
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
