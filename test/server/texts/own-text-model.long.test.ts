/** A text model of the user's own: given as a folder, tried, trained with, exported, backed up and removed. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { requireEdgePython } from '../../edge-python.ts';
import { runCommand, serveFolder } from '../wire/command-process.ts';
import { type Call, createTrainable, openForAll, openForTest, temporaryFolder, train } from '../workbench.ts';
import { kindExamples as examples, type Flaw, toWord, writeSmallModel } from './small-text-model.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const python = await requireEdgePython();

const remarkType = { name: 'remarks', options: ['praise', 'complaint'] };
const said = {
  decision_type: 'remarks',
  input: { remark: `${toWord('complaint', 299)}, ${toWord('complaint', 298)} and more` },
};
const quickly = { min_per_option: 20, tune_hyperparams: false, tune_encoder: false };
const models = '/api/v1/text-models';

describe('a text model of one’s own', { timeout: 600_000 }, () => {
  it('is added beside a running workbench and read by; a restored backup has it, Python decides alike [TRN-28] [DAT-7] [EDG-5]', async () => {
    const dataDir = temporaryFolder();
    const rest = await serveFolder(dataDir);
    const added = await runCommand(['text-model', 'add', writeSmallModel(), '--name', 'small', '--data-dir', dataDir]);
    expect(added).toMatchObject({
      code: 0,
      lines: [{ name: 'small', own: true, base_model: 'a/small-model', languages: ['de', 'en'] }],
      told: expect.stringContaining('There is no golden.json'),
    });
    const { id } = await rest<{ id: string }>('POST', '/api/v1/decision-types', remarkType);
    await rest('POST', `/api/v1/decision-types/${id}/examples`, { examples });
    const bundle = path.join(temporaryFolder(), 'small.zip');
    const config = JSON.stringify({ text_model: 'small', ...quickly });
    const trained = await runCommand(['train', '--config', config, '--out', bundle, '--data-dir', dataDir]);
    expect(trained).toMatchObject({ code: 0, lines: [{ deployed: true }] });
    const decided = await rest('POST', '/api/v1/decide', said);
    const { status, stdout, stderr } = spawnSync(python, ['-m', 'decision_edge', 'verify', bundle], {
      env: { ...process.env, PYTHONPATH: path.join(root, 'edge/src') },
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toMatch(/(\d+) golden vectors, \1 equal/);
    expect(status).toBe(0);
    const { name } = await rest<{ name: string }>('POST', '/api/v1/backups');
    const restored = path.join(temporaryFolder(), 'restored');
    await rest('POST', `/api/v1/backups/${name}/restore`, { folder: restored });
    const again = await (await serveFolder(restored))('POST', '/api/v1/decide', said);
    const fixed = { latency_ms: 0, request_id: '', log_id: '' };
    expect({ ...(again as object), ...fixed }).toEqual({ ...(decided as object), ...fixed });
  });

  it('is fetched as a package with its digest, and not taken with another [TRN-28]', async () => {
    const [folder, dataDir] = [temporaryFolder(), temporaryFolder()];
    await serveFolder(dataDir);
    cpSync(writeSmallModel(), path.join(folder, 'package'), { recursive: true });
    spawnSync('tar', ['-czf', path.join(folder, 'small-1.0.0.tgz'), '-C', folder, 'package']);
    const file = readFileSync(path.join(folder, 'small-1.0.0.tgz'));
    const server = createServer((request, response) => {
      response.writeHead(request.url?.endsWith('.tgz') ? 200 : 404).end(file);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const fetchModel = (name: string, digest: string) => {
      const address = `http://127.0.0.1:${port}/${name}`;
      return runCommand(['text-model', 'fetch', address, '--sha256', digest, '--data-dir', dataDir]);
    };
    const other = sha256(Buffer.from('another'));
    expect(await fetchModel('small-1.0.0.tgz', other)).toMatchObject({
      code: 2,
      told: expect.stringContaining(`has the digest ${sha256(file)}`),
    });
    expect(await fetchModel('gone', other)).toMatchObject({ code: 3, told: expect.stringContaining('answered 404') });
    const added = await fetchModel('small-1.0.0.tgz', sha256(file));
    expect(added).toMatchObject({ code: 0, lines: [{ name: 'small', own: true }] });
  });

  it('is tried by a training that chooses, keeps what decides, and stands in its bundle [TRN-28] [TRN-26] [BUN-8]', async () => {
    const bench = await openForTest();
    // Of no language that is known: it is tried on texts in any.
    const facts = JSON.stringify({ base_model: 'a/small-model', prefix: 'read ' });
    const folder = writeSmallModel(null, { 'encoder.json': facts });
    expect((await bench.call('POST', models, { folder, name: 'small' })).status).toBe(201);
    const call: Call = (method, url, ...rest) => bench.call(method, `/api/v1${url}`, ...rest);
    let url = await createTrainable({ call }, remarkType, examples);
    const chosen = await train(call, url, { text_model: 'auto', ...quickly });
    const { metrics } = (await call('GET', `${url}/policies/${chosen}`)).body;
    const tried = metrics.text_models.map((each: { text_model: string }) => each.text_model);
    expect(tried).toEqual(expect.arrayContaining(['words', 'small']));
    expect(metrics.text_models.find((each: { chosen: boolean }) => each.chosen)).toMatchObject({ text_model: 'small' });
    expect(metrics.accuracy).toBeGreaterThan(0.9);
    const headers = { authorization: `Bearer ${bench.token}`, host: '127.0.0.1' };
    const { rawPayload } = await bench.app.inject({ url: `/api/v1${url}/export?slim=true`, headers });
    const { manifest, plan } = unpackBundle(rawPayload, sha256);
    expect(manifest.text).toMatchObject({ base_model: 'a/small-model' });
    // <s> and the word of the prefix before a text, </s> behind it.
    expect(plan.text?.encoder).toMatchObject({ dimensions: 24, frame: [0, 4, 2] });
    const refused = await call('DELETE', '/text-models/small');
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringContaining('of "remarks" (release 1)'),
    ]);
    // Another policy decides, and the release that callers name or that can come back still reads by it.
    await train(call, url, { text_model: 'words', ...quickly });
    await call('PUT', `${url}/aliases/production`, { release: 1 });
    const kept = await call('DELETE', '/text-models/small');
    expect([kept.status, kept.body.error.message]).toEqual([409, expect.stringContaining('of "remarks" (release 1)')]);
    expect((await call('POST', '/decide', { ...said, decision_type: 'remarks@production' })).status).toBe(200);
    await call('DELETE', url);
    expect((await call('DELETE', '/text-models/small')).status).toBe(204);
    url = await createTrainable({ call }, remarkType, examples);
    const asked = await call('POST', `${url}/train`, { text_model: 'small', ...quickly });
    expect(asked.body.error.details).toEqual([
      expect.objectContaining({ loc: ['body', 'text_model'], msg: 'must be one of auto, words, english, fast' }),
    ]);
    expect(readdirSync(path.join(bench.dataDir, 'text-models'))).toEqual([]);
  });
});

describe('a folder that is no text model', { timeout: 600_000 }, () => {
  const bench = openForAll();
  const golden = JSON.stringify([{ text: 'yes', embedding: new Array(24).fill(0.2) }]);
  type Case = [flaw: Flaw | null, files: Record<string, string | null>, problem: string];
  it.each<Case>([
    [null, { 'encoder.onnx': null }, 'has no encoder.onnx'],
    [null, { 'encoder.onnx': 'text', SHA256SUMS: null }, 'has an encoder.onnx that is no ONNX file'],
    [null, { SHA256SUMS: `${'0'.repeat(64)}  encoder.onnx` }, 'has a damaged encoder.onnx'],
    [null, { LICENSE: null }, 'has no file LICENSE'],
    [null, { LICENSE: null, 'README.md': 'A model.' }, 'has no file LICENSE'],
    [null, { 'tokenizer.json': '{}' }, 'has a tokenizer.json of another kind'],
    [null, { 'tokenizer.json': '{"model"' }, 'has a tokenizer.json that is no JSON'],
    [null, { 'encoder.json': '{"languages":["german"]}' }, 'not as it should be (languages.0'],
    [null, { 'encoder.json': '{"frame":[1]}' }, 'not as it should be (frame'],
    [null, { 'golden.json': golden }, 'does not embed "yes" as its golden.json says'],
    ['ignores the mask', { SHA256SUMS: null }, 'embeds a short text differently beside a longer one'],
    ['is not of length 1', {}, 'end it with a division by the length'],
    ['answers otherwise', {}, 'has a graph that gives last_hidden_state'],
    ['wants more', {}, 'has a graph with the input token_type_ids'],
  ])('%s %j is refused with what to do, and nothing is left [TRN-28]', async (flaw, files, problem) => {
    const { status, body } = await bench.call('POST', '/text-models', { folder: writeSmallModel(flaw, files) });
    const { error } = body;
    expect([status, error.code, error.details[0].loc, error.details[0].msg]).toEqual([
      422,
      'validation_error',
      ['body', 'folder'],
      expect.stringContaining(problem),
    ]);
    const { body: listed } = await bench.call('GET', '/text-models');
    expect(listed).toHaveLength(2);
  });

  const bert = {
    added_tokens: [{ id: 0, content: '[UNK]', special: true }],
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: { '[UNK]': 0, yes: 1, or: 2, no: 3 },
    },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: 'a' } }, { Sequence: {} }, { SpecialToken: { id: 'a' } }],
      special_tokens: { a: { ids: [0] } },
    },
  };
  it.each<[string, object, string]>([
    ['cased', { normalizer: { ...bert.normalizer, lowercase: false } }, 'another kind than WordPiece'],
    ['of byte pairs', { model: { ...bert.model, type: 'BPE', merges: [] } }, 'another kind than WordPiece'],
    [
      'with a pattern that never ends',
      { normalizer: { type: 'Replace', pattern: { Regex: '(a+)+$' }, content: '' } },
      'another kind than WordPiece',
    ],
    [
      'with an id that its graph does not know',
      { model: { ...bert.model, vocab: { '[UNK]': 0, x: 1e12 } } },
      '1000000000000',
    ],
  ])('%s is refused as the Python package would refuse it [TRN-28]', async (_what, change, problem) => {
    const taken = writeSmallModel(null, { 'tokenizer.json': JSON.stringify(bert) });
    const folder = writeSmallModel(null, { 'tokenizer.json': JSON.stringify({ ...bert, ...change }) });
    const refused = await bench.call('POST', '/text-models', { folder, name: 'other' });
    expect([refused.status, refused.body.error?.details[0].msg]).toEqual([422, expect.stringContaining(problem)]);
    expect((await bench.call('POST', '/text-models', { folder: taken, name: 'other' })).status).toBe(201);
    expect((await bench.call('DELETE', '/text-models/other')).status).toBe(204);
  });

  it('leads to no file of somebody else by a link', async () => {
    for (const name of ['LICENSE', 'encoder.json', 'NOTICE']) {
      const folder = writeSmallModel();
      rmSync(path.join(folder, name), { force: true });
      symlinkSync('/etc/passwd', path.join(folder, name));
      const { status, body } = await bench.call('POST', '/text-models', { folder, name: 'linked' });
      expect([status, body.error?.details[0].msg]).toEqual([
        422,
        `has a ${name} that is a link; put the file itself there (cp -L)`,
      ]);
    }
  });

  it('is added by one call at a time, whole, and says which facts are not read', async () => {
    const facts = JSON.stringify({ base_model: 'a/small-model', langauges: ['de'] });
    const folders = [writeSmallModel(), writeSmallModel(null, { 'encoder.json': facts })];
    const added = await Promise.all(
      folders.map((folder) => bench.call('POST', '/text-models', { folder, name: 'twice' })),
    );
    expect(added.map(({ status }) => status).sort()).toEqual([201, 409]);
    const whole = added.find(({ status }) => status === 201)?.body;
    const listed = (await bench.call('GET', '/text-models')).body.at(-1);
    expect(listed).toMatchObject({ name: 'twice', languages: whole.languages });
    expect(readFileSync(path.join(bench.dataDir, 'text-models/twice/encoder.json'), 'utf8')).toContain('a/small-model');
    await bench.call('DELETE', '/text-models/twice');
    const { body } = await bench.call('POST', '/text-models', { folder: folders[1], name: 'twice' });
    expect(body.notes).toContain('encoder.json has "langauges", which is not read.');
    await bench.call('DELETE', '/text-models/twice');
  });

  it('cannot have a name of the program, or a place that is none', async () => {
    const ask = async (order: object) => (await bench.call('POST', '/text-models', order)).body.error.details[0];
    expect(await ask({ folder: writeSmallModel(), name: 'fast' })).toMatchObject({ loc: ['body', 'name'] });
    expect(await ask({ folder: 'here', name: 'mine' })).toMatchObject({ msg: 'must be an absolute path' });
    expect(await ask({ folder: '/there/is/none', name: 'mine' })).toMatchObject({
      msg: 'is not a readable folder',
    });
  });

  it('is not the same one a second time', async () => {
    const folder = writeSmallModel();
    expect((await bench.call('POST', '/text-models', { folder, name: 'small' })).status).toBe(201);
    for (const name of ['small', 'another']) {
      const { status, body } = await bench.call('POST', '/text-models', { folder, name });
      expect([status, body.error.code]).toEqual([409, 'conflict']);
    }
  });
});
