/** `workbench sign` and the check of signatures, by a key that whoever gives files out has made. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defineCommand, endCodes, refuse, type Surroundings, texts } from '../command.ts';
import {
  checkSignature,
  digestFile,
  makeKeyFiles,
  readPublicKey,
  readSecretKey,
  showId,
  signDigest,
} from './minisign.ts';

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
