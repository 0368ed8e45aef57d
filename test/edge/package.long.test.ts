/** `decision-edge` for Node and the browser: a bundle decides there as in the workbench. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/freshness.ts';
import type { Input, Predictor } from '../../src/edge/api.ts';
import { sha256 as portableSha256 } from '../../src/edge/sha256.ts';
import { packBundle } from '../../src/engine/bundle/bundle.ts';
import { bundleParts, sha256 } from '../engine/bundle-fixture.ts';
import { mutate, mutations } from '../engine/deciding/mutated-bundles.ts';
import { temporaryFolder } from '../server/workbench.ts';
import { buildForAll } from './built-package.ts';

const edge = buildForAll();

describe('a bundle in Node and in the browser', () => {
  it.each(mutations)('$name: $verdict [EDG-10]', async (mutation) => {
    for (const { loadBundle, InvalidBundle } of [edge.node, edge.browser]) {
      const loaded = loadBundle(mutate(mutation));
      if (mutation.verdict === 'accepted') await expect(loaded).resolves.toBeDefined();
      else await expect(loaded).rejects.toBeInstanceOf(InvalidBundle);
    }
  });

  it('says what is wrong with a file, and where it lies [EDG-10]', async () => {
    const { loadBundle } = edge.node;
    const folder = temporaryFolder();
    const file = join(folder, 'loan.zip');
    await expect(loadBundle(file)).rejects.toThrow(`${file} cannot be read: ENOENT`);
    writeFileSync(file, 'a letter, and no bundle at all');
    await expect(loadBundle(file)).rejects.toThrow(`${file}: Bundle file is not a complete ZIP file`);
    const golden = [{ input: { amount: 9 }, output: { ...refusal, decision: 'approve' } }];
    await expect(loadBundle(packBundle(bundleParts({ golden }), sha256))).rejects.toThrow(
      'Golden line 1 is decided decline',
    );
  });

  it('decides by patterns, of rules and of the schema [EDG-9]', async () => {
    const rules = [{ condition: 'ctx.code.matches("^A[0-9]+$")', then: 'approve' }];
    const inputSchema = { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]' } } };
    const bundle = packBundle(bundleParts({ rules, inputSchema }), sha256);
    for (const { loadBundle, InvalidInput } of [edge.node, edge.browser]) {
      const predictor = await loadBundle(bundle);
      expect(await predictor.decide({ code: 'A17' })).toMatchObject({ decision: 'approve', stage: 'rules' });
      expect(await predictor.decide({ code: 'B17', amount: 9 })).toMatchObject({ stage: 'classifier' });
      const refused = predictor.decide({ code: 'a17' });
      await expect(refused).rejects.toBeInstanceOf(InvalidInput);
      await expect(refused).rejects.toThrow('input.code must match pattern "^[A-Z]".');
    }
  });
});

describe('the inputs of a program', () => {
  const load = (): Promise<Predictor> => edge.browser.loadBundle(packBundle(bundleParts(), sha256));

  it('are what JSON holds; anything else is refused with its place [EDG-11]', async () => {
    const predictor = await load();
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const refused: [input: unknown, sentence: string][] = [
      [{ amount: Number.NaN }, 'input.amount is not a finite number; leave it out.'],
      [{ amount: 5n }, 'input.amount is a BigInt, which JSON does not have; send it as text.'],
      [{ when: new Date('never') }, 'input.when is an invalid Date; leave it out.'],
      [{ tags: [new Map()] }, 'input.tags[0] is of type Map, which JSON does not have.'],
      [{ note: 'a\0' }, 'input.note contains a NUL character.'],
      [{ note: '\ud800' }, 'input.note contains half of a surrogate pair, which is no valid text.'],
      [JSON.parse('{"a":{"__proto__":1}}'), 'input.a has the key "__proto__", which is not allowed.'],
      [cyclic, 'The input is nested deeper than 32 levels.'],
      [[1, 2], 'The input must be an object with a member for each field.'],
    ];
    for (const [input, sentence] of refused) await expect(predictor.decide(input as Input)).rejects.toThrow(sentence);
    const plain = await predictor.decide({ amount: 9, gone: undefined, at: new Date(0) });
    expect(plain).toMatchObject({ decision: 'decline', unread: ["'at' is no field of the policy"] });
    const large = await predictor.decide({ amount: 2 ** 60, deep: [{ id: 1e300 }] });
    expect(large.unread[0]).toBe("'amount' is a whole number beyond 2^53, which loses digits; send it as text");
    expect(large.unread).toHaveLength(2);
    await expect(predictor.decide({ amuont: 9 }, { strict: true })).rejects.toThrow("did you mean 'amount'?");
  });

  it('are decided in their order; a refused one is named, or stands in its place [EDG-11]', async () => {
    const predictor = await load();
    const inputs = [{ amount: 9 }, { amount: 7n }, { amount: -9 }];
    await expect(predictor.decideMany(inputs)).rejects.toThrow('Input 1: input.amount is a BigInt');
    const each = await predictor.decideEach(inputs);
    expect(each.map((one) => ('decision' in one ? one.decision : one.name))).toEqual([
      'decline',
      'InvalidInput',
      'approve',
    ]);
  });

  it('can be many: the call tells how far it is, and ends when it is told to [EDG-11]', async () => {
    const predictor = await load();
    const many = Array.from({ length: 60_000 }, (_, amount) => ({ amount }));
    const seen: number[] = [];
    await predictor.decideMany(many, { onProgress: (decided) => seen.push(decided) });
    expect(seen.at(-1)).toBe(many.length);
    const controller = new AbortController();
    const stop = () => controller.abort(new Error('enough'));
    const stopped = predictor.decideMany(many, { signal: controller.signal, onProgress: stop });
    await expect(stopped).rejects.toThrow('enough');
  });
});

describe('what the package is made of', () => {
  it('is within its budget of script: tables without the parts for patterns and texts [EDG-12]', () => {
    const parts = readdirSync(join(edge.folder, 'parts'));
    const sizeOf = (name: string) => statSync(join(edge.folder, name)).size;
    const isLate = (name: string) => /^(?:tokenizer|encoder|build)-/.test(name);
    const ofTables = ['browser.js', ...parts.filter((name) => !isLate(name)).map((name) => `parts/${name}`)];
    expect(ofTables.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThanOrEqual(450_000);
    expect(parts.reduce((sum, name) => sum + sizeOf(`parts/${name}`), 0)).toBeLessThanOrEqual(2_000_000);
    expect(parts.some(isLate)).toBe(true);
  });

  it('has its licences, its list of components and the version of the program [EDG-12]', () => {
    const read = (name: string) => readFileSync(join(edge.folder, name), 'utf8');
    const { components } = JSON.parse(read('sbom.cdx.json')) as { components: { name: string; version: string }[] };
    const licenses = read('licenses.md');
    for (const { name, version } of components) expect(licenses).toContain(`## ${name} ${version} (`);
    expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['ajv', 'fflate', 're2js', 'zod']));
    expect(JSON.parse(read('package.json')).version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
    expect(read('browser.js')).not.toContain('node:');
  });

  it('is typed for every resolver of modules, by import and by require, and errors keep their names [EDG-12]', async () => {
    const lines = [
      "edge.loadBundle('loan.zip').then((predictor) => predictor.decide({ amount: 1 }))",
      '.then(({ decision }: { decision: string }) => decision);',
    ].join('');
    writeFileSync(join(edge.project, 'a.mts'), `import * as edge from 'decision-edge';\n${lines}`);
    writeFileSync(join(edge.project, 'b.cts'), `import edge = require('decision-edge');\n${lines}`);
    const types = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules/@types')];
    const compiler = join(projectRoot, 'node_modules/ts7/bin/tsc');
    for (const module of ['preserve', 'nodenext']) {
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', module, ...types];
      const checked = spawnSync(process.execPath, [compiler, ...options, 'a.mts', 'b.cts'], { cwd: edge.project });
      expect([module, String(checked.stdout), checked.status]).toEqual([module, '', 0]);
    }
    const { loadBundle, InvalidInput, InvalidBundle } = edge.browser;
    expect([InvalidInput.name, InvalidBundle.name, edge.node.TextModelNeeded.name]).toEqual([
      'InvalidInput',
      'InvalidBundle',
      'TextModelNeeded',
    ]);
    await expect(loadBundle('loan.zip' as never)).rejects.toThrow('Outside Node a bundle is given by its bytes');
  });

  it('finds the SHA-256 of any bytes without the platform', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 1000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 256);
      expect(portableSha256(bytes)).toBe(sha256(bytes));
    }
  });
});

const refusal = {
  confidence: 1,
  stage: 'classifier' as const,
  reason_codes: [],
  rules_triggered: [],
  fallback_used: false,
  escalate: false,
  unfamiliar: false,
  class_probabilities: { approve: 1, decline: 0 },
};
