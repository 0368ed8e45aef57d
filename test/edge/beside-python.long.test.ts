/** The package for Node beside Python, on a table, on words and on texts that a text model reads. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildEdge } from '../../scripts/bundling/build-edge.ts';
import { isFresh, projectRoot } from '../../scripts/freshness.ts';
import { findChromium } from '../../scripts/testing/chromium.ts';
import type { EdgeDecision } from '../../src/edge/api.ts';
import { decideInChromium } from '../e2e/tools/program-page.ts';
import { requireEdgePython } from '../edge-python.ts';
import { remarks } from '../engine/training/tune/tuning-request.ts';
import { runCommand } from '../server/wire/command-process.ts';
import {
  createTrainable,
  forAll,
  loanExamples,
  loanType,
  makeDataDir,
  removeDataDir,
  startWorkbench,
  train,
} from '../server/workbench.ts';
import { buildForAll } from './built-package.ts';

const edge = buildForAll();
const loans = loanExamples(300).map((example) => (example as { input: Record<string, unknown> }).input);
const said = loans.map((_, row) => ({
  remark: [1, 2, 3].map((step) => remarks[(row * step) % remarks.length]?.input['remark']).join(' '),
}));
const day = (count: number) => new Date(Date.UTC(2023, 0, 1 + count)).toISOString().slice(0, 10);
/** Claims of three years, late where they are reported more than two weeks after the damage. */
const claims = Array.from({ length: 600 }, (_, row) => {
  const damage = (row * 197) % 1_000;
  const days = (row * 31) % 29;
  return { input: { damage: day(damage), reported: day(damage + days) }, decision: days > 14 ? 'late' : 'in time' };
});
const reported = claims.map(({ input }, row) => (row % 50 === 0 ? { ...input, damage: null } : input));
const kinds = { loan: loans, claims: reported, words: said, fast: said };

/** The bundles of four types, and what the workbench says to a page of the last. */
const bundles = forAll(
  async () => {
    const folder = makeDataDir();
    const bench = await startWorkbench(join(folder, 'data'), { edgeDir: edge.folder });
    const headers = { authorization: `Bearer ${bench.token}`, host: '127.0.0.1' };
    const examples = remarks.map(({ input, decision }) => ({ input, decision }));
    let refusal = '';
    for (const name of ['loan', 'claims', 'words', 'fast'] as const) {
      const options = name === 'claims' ? ['in time', 'late'] : ['praise', 'complaint'];
      const type = name === 'loan' ? loanType : { name, options };
      const rows = name === 'loan' ? loanExamples(40) : name === 'claims' ? claims.slice(0, 300) : examples;
      const url = await createTrainable(bench, type, rows);
      const config = name === 'loan' || name === 'claims' ? {} : { text_model: name, min_per_option: 20 };
      await train(bench.call, url, { ...config, tune_hyperparams: false, tune_encoder: false });
      const full = await bench.app.inject({ url: `/api/v1${url}/export`, headers });
      const slim = await bench.app.inject({ url: `/api/v1${url}/export?slim=true`, headers });
      writeFileSync(join(folder, `${name}.zip`), full.rawPayload);
      writeFileSync(join(folder, `${name}-slim.zip`), slim.rawPayload);
      const { status, body, text } = await bench.call('GET', `${url}/export/page`);
      if (status !== 200) refusal = `${name}: ${status} ${body.error.message}`;
      else writeFileSync(join(folder, `${name}.html`), `${text}<!-- saved before -->`);
    }
    await bench.stop();
    return { folder, refusal };
  },
  ({ folder }) => removeDataDir(folder),
);

async function decideInPython(file: string, inputs: readonly object[]): Promise<EdgeDecision[]> {
  const python = await requireEdgePython();
  const { stdout, stderr } = spawnSync(python, ['-m', 'decision_edge', 'predict', file], {
    input: inputs.map((input) => `${JSON.stringify(input)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  expect(lines.length, stderr).toBe(600);
  return lines.map((line) => JSON.parse(line));
}

function expectSame(decided: readonly EdgeDecision[], expected: readonly EdgeDecision[]): void {
  for (const [at, { confidence, class_probabilities, ...settled }] of expected.entries()) {
    expect(decided[at]).toMatchObject(settled);
    expect(Math.abs(decided[at]!.confidence - confidence)).toBeLessThan(1e-5);
    for (const [option, share] of Object.entries(class_probabilities))
      expect(Math.abs((decided[at]!.class_probabilities[option] ?? -1) - share)).toBeLessThan(1e-5);
  }
}

describe('600 inputs', () => {
  it.each(Object.entries(kinds))(
    'of %s are decided in Node and in Chromium as in Python [EDG-9] [FEA-10]',
    async (name, inputs) => {
      const file = join(bundles.folder, `${name}.zip`);
      const expected = await decideInPython(file, inputs);
      const predictor = await edge.node.loadBundle(file);
      expectSame(await predictor.decideMany(inputs), expected);
      if (name === 'claims') {
        const right = claims.filter(({ decision }, row) => row % 50 === 0 || expected[row]!.decision === decision);
        expect(right.length).toBeGreaterThan(590);
      }
      await predictor.close();
      if (findChromium() === null) return;
      const there = await decideInChromium(edge.folder, readFileSync(file), inputs);
      expectSame(there.made, expected);
      expect(there.verified.differences).toEqual([]);
      // ONNX Runtime is loaded for texts that a text model reads, and for nothing else.
      expect(there.hasLoadedRuntime).toBe(name === 'fast');
    },
  );

  it('read by a text model need it: from its folder, and ONNX Runtime [EDG-9]', async () => {
    const slim = join(bundles.folder, 'fast-slim.zip');
    const textModel = join(projectRoot, 'resources/models/use-multilingual-v3');
    await expect(edge.node.loadBundle(slim)).rejects.toThrow(`${slim}: The bundle is slim`);
    const predictor = await edge.node.loadBundle(slim, { textModel });
    const full = await edge.node.loadBundle(join(bundles.folder, 'fast.zip'));
    expect((await predictor.decide(said[0]!)).digest).toBe((await full.decide(said[0]!)).digest);
    const other = join(projectRoot, 'resources/models/all-MiniLM-L6-v2');
    await expect(edge.node.loadBundle(slim, { textModel: other })).rejects.toThrow('not that of the text model');
    const { loadBundle, TextModelNeeded } = edge.browser;
    const without = loadBundle(readFileSync(join(bundles.folder, 'fast.zip')));
    await expect(without).rejects.toBeInstanceOf(TextModelNeeded);
    for (const opened of [predictor, full]) await opened.close();
  });
});

describe('the page', () => {
  it('is refused for a policy whose texts a text model reads, with the remedy [EDG-13]', () => {
    expect(bundles.refusal).toMatch(/^fast: 409 The policy reads texts by a text model.*text_model: words/);
  });

  it('is written by the command, which replaces a page and nothing else [EDG-13]', async () => {
    const built = 'out/decision-edge/page.html';
    if (!isFresh(built, ['src/edge', 'src/engine', 'scripts'])) await buildEdge(join(projectRoot, 'out/decision-edge'));
    const page = join(bundles.folder, 'words.html');
    const folder = ['--data-dir', join(bundles.folder, 'data')];
    const done = await runCommand(['export', '--html', page, '--type', 'words', ...folder]);
    expect([done.code, done.lines[0]], done.told).toEqual([
      0,
      expect.objectContaining({ page, decision_type: 'words' }),
    ]);
    expect(readFileSync(page, 'utf8')).toContain('<h1 id="name">words</h1>');
    expect(readFileSync(page, 'utf8')).not.toContain('saved before');
    const letter = join(bundles.folder, 'letter.html');
    writeFileSync(letter, '<!doctype html><p>Dear Sir');
    const { code, told } = await runCommand(['export', '--html', letter, '--type', 'words', ...folder]);
    expect([code, existsSync(letter)]).toEqual([2, true]);
    expect(told).toContain(`The file ${letter} is there already and is no page.`);
  });
});
