/** Whoever gives bundles out signs them with an own key; who gets them sees that they are as they were given out. */
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { runCommand } from '../../../src/server/command-line/run-command.ts';
import {
  checkSignature,
  digestFile,
  readPublicKey,
  readSecretKey,
  signDigest,
} from '../../../src/server/command-line/signing/sign.ts';
import { temporaryFolder } from '../workbench.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/minisign');

afterEach(() => vi.restoreAllMocks());

/** Runs a command; returns its code and what it wrote. */
async function run(name: 'sign' | 'verify', ...args: string[]): Promise<{ code: number; said: string }> {
  let said = '';
  const keep = (text: string | Uint8Array) => {
    said += text;
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(keep));
  const code = await runCommand(name, args, {});
  for (const spy of spies) spy.mockRestore();
  return { code, said };
}

/** A folder with a key and a bundle that it has signed. */
async function makeSigned() {
  const folder = temporaryFolder();
  const [name, bundle] = [join(folder, 'release'), join(folder, 'loan.zip')];
  copyFileSync(join(fixtures, 'release.txt'), bundle);
  expect(await run('sign', '--make-key', name)).toMatchObject({ code: 0 });
  expect(await run('sign', bundle, '--key', `${name}.key`)).toMatchObject({ code: 0 });
  return { folder, name, bundle };
}

describe('Signatures of bundles', () => {
  it('are made with an own key, beside a file that stays as it is, and checked by command [EDG-14]', async () => {
    const { name, bundle } = await makeSigned();
    expect(readFileSync(bundle)).toEqual(readFileSync(join(fixtures, 'release.txt')));
    expect(statSync(`${name}.key`).mode & 0o777).toBe(0o600);
    const { code, said } = await run('verify', bundle, '--key', `${name}.pub`);
    expect([code, JSON.parse(said)]).toEqual([0, expect.objectContaining({ file: bundle })]);
    const [, line = ''] = readFileSync(`${name}.pub`, 'utf8').split('\n');
    expect(await run('verify', bundle, '--key', line)).toMatchObject({ code: 0 });
  });

  it('show each of 60 changed bytes of file and signature [EDG-14]', async () => {
    const { name, bundle } = await makeSigned();
    const key = readPublicKey(readFileSync(`${name}.pub`, 'utf8'));
    if (key === null) throw new Error('no key');
    const random = createRandom(3);
    for (let change = 0; change < 60; change += 1) {
      const file = change % 2 === 0 ? bundle : `${bundle}.minisig`;
      const whole = readFileSync(file);
      // The first line of a signature file is signed by nothing, as it says.
      const from = change % 2 === 0 ? 0 : whole.indexOf('\n') + 1;
      const other = Buffer.from(whole);
      other[from + Math.floor(random() * (whole.length - 1 - from))]! ^= 1;
      writeFileSync(file, other);
      const text = readFileSync(`${bundle}.minisig`, 'utf8');
      expect(checkSignature(key, digestFile(bundle), text), `change ${change}`).toHaveProperty('fault');
      writeFileSync(file, whole);
    }
    expect(await run('verify', bundle, '--key', `${name}.pub`)).toMatchObject({ code: 0 });
  });

  it('are those of minisign, byte for byte, with its keys [EDG-14]', async () => {
    const file = join(fixtures, 'release.txt');
    const theirs = readFileSync(`${file}.minisig`, 'utf8').split('\n');
    const key = readSecretKey(readFileSync(join(fixtures, 'minisign.key'), 'utf8'));
    if (typeof key === 'string') throw new Error(key);
    expect(signDigest(key, digestFile(file), 'made by minisign 0.11').split('\n').slice(1)).toEqual(theirs.slice(1));
    expect(await run('verify', file, '--key', join(fixtures, 'minisign.pub'))).toMatchObject({
      code: 0,
      said: expect.stringContaining('"key":"A70ACEC013865CA8","comment":"made by minisign 0.11"'),
    });
  });

  it('refuse what is no key, no file and no signature, and another key by its number [EDG-14]', async () => {
    const { folder, name, bundle } = await makeSigned();
    const unsigned = join(folder, 'unsigned.zip');
    copyFileSync(bundle, unsigned);
    const pub = `${name}.pub`;
    expect(await run('verify', unsigned, '--key', pub)).toMatchObject({
      code: 2,
      said: `${unsigned} is not signed: ${unsigned}.minisig is missing.\n`,
    });
    expect(await run('verify', join(folder, 'none.zip'), '--key', pub)).toMatchObject({ code: 2 });
    expect(await run('verify', bundle, '--key', 'RWQ')).toMatchObject({ code: 2 });
    expect(await run('verify', bundle, '--key', join(fixtures, 'minisign.pub'))).toMatchObject({
      code: 1,
      said: expect.stringMatching(/it was signed with another key, [0-9A-F]{16}, not A70ACEC013865CA8\.\n$/),
    });
    expect(await run('sign', '--make-key', name)).toMatchObject({ code: 2 });
    expect(await run('sign', unsigned, '--key', pub)).toMatchObject({ code: 2 });
    const secret = readFileSync(`${name}.key`, 'utf8').split('\n');
    const bytes = Buffer.from(secret[1] ?? '', 'base64');
    bytes[70]! ^= 1;
    writeFileSync(`${name}.key`, [secret[0], bytes.toString('base64'), ''].join('\n'));
    expect(await run('sign', unsigned, '--key', `${name}.key`)).toMatchObject({
      code: 2,
      said: `${name}.key is damaged.\n`,
    });
  });
});
