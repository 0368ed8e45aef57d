/**
 * Clients that others generate from the served document, and those of decision models. They are fetched from the registries and take
 * minutes, so they run where CLIENTS names them: `CLIENTS=all`, or some of the names below with commas between them.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/server/process/clock.ts';
import {
  type Call,
  callerOf,
  deployRules,
  loanExamples,
  loanType,
  makeDeployedFolder,
  openForTest,
  temporaryFolder,
  type Workbench,
} from '../workbench.ts';

type Run = (command: string, ...commandArguments: string[]) => Promise<string>;
/** Makes a client of `openapi.json` in the folder, and resolves with what the program at `url` prints. */
type Client = (run: Run, folder: string, url: string, key: string) => Promise<string>;

const programs = import.meta.dirname;
const wanted = (process.env['CLIENTS'] ?? '').split(',');

/** Makes a client by openapi-generator in `folder`/`to`. */
const generate = (run: Run, generator: string, to: string, ...options: string[]) =>
  run(
    ...(['npx', '-y', '@openapitools/openapi-generator-cli@2.35.0', 'generate'] as const),
    ...['-g', generator, '-i', 'openapi.json', '-o', to, ...options],
    // Without the last one it imports a class for the form of `/examples/import` into Java, and does not write it.
    ...['--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false,skipFormModel=false'],
  );

/** Runs a Go program over the client in `folder`/api. */
async function runGo(run: Run, folder: string, program: string, url: string, key: string): Promise<string> {
  cpSync(path.join(programs, program), path.join(folder, 'main.go'));
  await run('go', 'mod', 'init', 'clients');
  await run('go', 'mod', 'tidy');
  return run('go', 'run', '.', url, key);
}

async function installPython(run: Run, ...packages: string[]): Promise<string> {
  await run('python3', '-m', 'venv', 'python');
  await run('python/bin/python', '-m', 'pip', 'install', '--quiet', ...packages);
  return 'python/bin/python';
}

const clients: Readonly<Record<string, Client>> = {
  'oapi-codegen': async (run, folder, url, key) => {
    mkdirSync(path.join(folder, 'api'));
    const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
    const to = ['-o', 'api/api.gen.go', 'openapi.json'];
    await run('go', 'run', generator, '-generate', 'types,client', '-package', 'api', ...to);
    return runGo(run, folder, 'oapi-codegen.go', url, key);
  },
  'openapi-python-client': async (run, _folder, url, key) => {
    const python = await installPython(run, 'openapi-python-client==0.29.1');
    const generator = ['-m', 'openapi_python_client', 'generate', '--path', 'openapi.json', '--output-path', 'client'];
    await run(python, ...generator);
    await run(python, '-m', 'pip', 'install', '--quiet', './client');
    return run(python, path.join(programs, 'openapi_python_client.py'), url, key);
  },
  'openapi-generator-go': async (run, folder, url, key) => {
    await generate(run, 'go', 'api', '--package-name', 'api', '--additional-properties', 'withGoMod=false');
    return runGo(run, folder, 'openapi-generator.go', url, key);
  },
  'openapi-generator-python': async (run, _folder, url, key) => {
    await generate(run, 'python', 'client');
    const python = await installPython(run, './client');
    return run(python, path.join(programs, 'openapi_generator.py'), url, key);
  },
  'openapi-generator-java': async (run, folder, url, key) => {
    await generate(run, 'java', '.', '--library', 'native');
    cpSync(path.join(programs, 'Decide.java'), path.join(folder, 'src/main/java/Decide.java'));
    const start = ['org.codehaus.mojo:exec-maven-plugin:3.5.0:java', '-Dexec.mainClass=Decide'];
    return run('mvn', '-q', 'compile', ...start, `-Dexec.args=${url} ${key}`);
  },
};

const askByPython =
  (name: string, ...packages: string[]): Client =>
  async (run, _folder, url, key) => {
    const python = await installPython(run, ...packages);
    return run(python, path.join(programs, 'decision_models.py'), url, key, name);
  };
const askByNode =
  (name: string, sdk: string): Client =>
  async (run, folder, url, key) => {
    await run('npm', 'init', '-y');
    await run('npm', 'install', '--silent', sdk);
    cpSync(path.join(programs, 'decision-models.mjs'), path.join(folder, 'ask.mjs'));
    return run(process.execPath, 'ask.mjs', url, key, name);
  };

/** Clients of decision models at the versions that they were tried with; each prints what it was answered. */
const modelClients: Readonly<Record<string, Client>> = {
  'openai-python': askByPython('openai', 'openai==3.54.0'),
  'typesafe-python': askByPython('typesafe', 'typesafe-sdk[zstd]==0.7.5'),
  'openai-node': askByNode('openai', 'openai@7.57.0'),
  'typesafe-node': askByNode('typesafe', '@typesafe-ai/sdk@0.6.0'),
  'langchain-openai': askByPython('langchain-openai', 'langchain-openai==1.7.3', 'openai==3.54.0'),
  'langchain-typesafe': askByPython('langchain-typesafe', 'langchain-typesafe==0.0.1a3'),
  litellm: askByPython('litellm', 'litellm==1.106.2'),
  dspy: askByPython('dspy', 'dspy==3.4.1', 'typesafe-sdk==0.7.5'),
  thinkless: askByPython('thinkless', 'thinkless==0.5.0'),
};
const inOrder = ['low', 'middle', 'high'];
const isOld = { name: 'old', condition: 'ctx.days > 3', then: 'middle', priority: 1 };
const isPrize = { name: 'prize', condition: 'ctx.text.contains("prize")', then: 'spam', priority: 1 };
const readsText = { type: 'object', properties: { text: { type: 'string' } } };

/** What a client of a type that is a choice, a yes or no, a score and a reader of one text is answered. */
async function expectedOf(name: string, bench: Pick<Workbench, 'call'>, type: string): Promise<object> {
  await bench.call('POST', `${type}/questions`, {
    kind: 'predicate',
    instructions: 'Is it a good risk?',
    options: ['approve'],
  });
  const urgency = { name: 'urgency', options: inOrder.toReversed(), rules: [isOld], fallback_option: 'low' };
  await bench.call('POST', `${await deployRules(bench, urgency)}/questions`, { kind: 'score', options: inOrder });
  const spam = { name: 'spam', options: ['ham', 'spam'], rules: [isPrize], fallback_option: 'ham' };
  await deployRules(bench, { ...spam, input_schema: readsText });
  const input = { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true };
  const { body } = await bench.call('POST', '/decide', { decision_type: 'loan', input });
  const { decision: choice, class_probabilities: p } = body;
  if (name === 'litellm') {
    const kinds = Object.entries({ choice, yes: p.approve, score: 1 });
    return Object.fromEntries(
      ['typesafe', 'openai'].flatMap((by) => kinds.map(([kind, value]) => [`${by} ${kind}`, [value, value]])),
    );
  }
  const all = { choice, yes: p.approve, score: 1, text: 'spam' };
  if (name === 'dspy') return { ...all, nested: choice, 'with examples': choice };
  if (name === 'openai-python') {
    return { ...all, models: ['loan', 'urgency', 'spam'], refused: ['question_not_known', 'questions[0].choices'] };
  }
  return name === 'typesafe-python' ? { ...all, refused: true } : all;
}

async function withProgram(work: (run: Run, folder: string, url: string, bench: Loan) => Promise<void>) {
  const trained = await makeDeployedFolder(loanType, loanExamples(40), systemClock);
  const { app, token } = await openForTest({ dataDir: trained.copy() });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  // Where it listens, only the host with its port is served.
  const owner = callerOf(app, { authorization: `Bearer ${token}`, host: new URL(url).host });
  const call: Call = (method, address, ...rest) => owner(method, `/api/v1${address}`, ...rest);
  const folder = temporaryFolder();
  const run: Run = async (command, ...commandArguments) => {
    const { stdout } = await promisify(execFile)(command, commandArguments, { cwd: folder, maxBuffer: 1e8 }).catch(
      (cause: { stdout?: string }) => {
        // Maven says there what it could not compile.
        throw new Error(`${command} failed: ${cause.stdout?.slice(0, 2_000)}`, { cause });
      },
    );
    return stripVTControlCharacters(stdout).trim();
  };
  await work(run, folder, url, { call, key: trained.key, path: trained.url.replace('/api/v1', '') });
  trained.remove();
}
type Loan = { call: Call; key: string; path: string };

describe.runIf(process.env['CLIENTS'] !== undefined)('an unmodified client of decision models', () => {
  for (const [name, askBy] of Object.entries(modelClients)) {
    it.runIf(wanted.includes(name) || wanted.includes('all'))(
      `by ${name} gets the answers of /api/v1/decide [MDL-7]`,
      { timeout: 900_000 },
      () =>
        withProgram(async (run, folder, url, { call, key, path: type }) => {
          const expected = await expectedOf(name, { call }, type);
          const printed = await askBy(run, folder, url, key);
          expect(JSON.parse(printed.split('\n').at(-1) ?? '')).toEqual(expected);
        }),
    );
  }
});

describe.runIf(process.env['CLIENTS'] !== undefined)('a client generated from the document', () => {
  for (const [name, makeClient] of Object.entries(clients)) {
    it.runIf(wanted.includes(name) || wanted.includes('all'))(
      `by ${name} compiles and decides [CLN-6]`,
      { timeout: 900_000 },
      () =>
        withProgram(async (run, folder, url, { key }) => {
          const document = await fetch(`${url}/api/v1/openapi.json`);
          writeFileSync(path.join(folder, 'openapi.json'), await document.text());
          expect(await makeClient(run, folder, url, key)).toBe('decline true 2');
        }),
    );
  }
});
