/**
 * The wheel, built and installed in clean environments, decides bundles of five kinds as REST does: on the oldest and
 * the newest CPython, and nightly (EVERY_PYTHON) also on those between and in Spark. What is missing is named.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPython } from '../../../scripts/testing/python-environment.ts';
import { remarks } from '../../engine/training/tune/tuning-request.ts';
import {
  createTrainable,
  loanExamples,
  loanType,
  makeDataDir,
  openForAll,
  removeDataDir,
  train,
} from '../workbench.ts';

const root = resolve(import.meta.dirname, '../../..');
const isEvery = process.env.EVERY_PYTHON !== undefined;
const versions = isEvery ? ['3.10', '3.11', '3.12', '3.13'] : ['3.10', '3.13'];
const tolerance = 1e-5;

type Answer = {
  decision: string;
  stage: string;
  confidence: number;
  reason_codes: string[];
  rules_triggered: string[];
  fallback_used: boolean;
  escalate: boolean;
  unfamiliar: boolean;
  class_probabilities: Record<string, number>;
};
type Kind = { name: string; bundle: string; inputs: object[]; decided: Answer[] };

/** Prints the decisions of each bundle over its rows as JSON. */
const program = `
import json, sys
from decision_edge import EdgePredictor
made = {}
for name, bundle, inputs in json.load(open(sys.argv[1])):
    made[name] = [decision.to_dict() for decision in EdgePredictor.from_bundle(bundle).predict_many(inputs)]
json.dump(made, sys.stdout)
`;
/** The same in Spark, whose program ends before its machine code would be worth making: compiled once, not optimised. */
const sparkProgram = `
import json, os, pathlib, sys
# Its workers are another Python otherwise, in which nothing is installed.
os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
from pyspark.sql import SparkSession
from decision_edge import EdgePredictor
from decision_edge.spark import decide
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
spark = builder.getOrCreate()
made = {}
for name, bundle, inputs in json.load(open(sys.argv[1])):
    # Two files are two partitions.
    folder = pathlib.Path(f"rows-of-{name}")
    folder.mkdir()
    for part in range(2):
        lines = [json.dumps({"row_of_story": row, **inputs[row]}) for row in range(part, len(inputs), 2)]
        folder.joinpath(f"{part}.jsonl").write_text("\\n".join(lines))
    frame = spark.read.json(str(folder))
    columns = [column for column in frame.columns if column != "row_of_story"]
    rows = decide(frame, EdgePredictor.from_bundle(bundle), columns=columns).collect()
    rows.sort(key=lambda row: row.row_of_story)
    made[name] = [row.decided.asDict(recursive=True) for row in rows]
json.dump(made, sys.stdout)
`;

const parcels = Array.from({ length: 240 }, (_, i) => {
  const colour = ['red', 'green', 'blue'][i % 3] ?? '';
  const size = ((i * 7) % 10) + i / 1000;
  const parcel = i % 5 === 0 ? null : (i * 3) % 4;
  return { input: { colour, size, parcel }, decision: (colour === 'red') !== size >= 5 ? 'yes' : 'no' };
});
const loans = loanExamples(60);
const inputOf = (example: object): object => Reflect.get(example, 'input');
const texts = remarks.map(({ input, decision }) => ({ input, decision }));
const schema = { type: 'object', properties: { amount: { type: 'number', minimum: 0 } }, required: ['amount'] };
const gate = {
  options: ['open', 'closed'],
  fallback_option: 'closed',
  hard_rules: [
    {
      name: 'small',
      condition: 'ctx.amount < 5000 && ctx.purpose != "car"',
      then: 'open',
      reason_code: null,
      priority: 1,
    },
  ],
};

describe('the wheel in a clean environment', { timeout: 1_800_000 }, () => {
  const folder = makeDataDir();
  const kinds: Kind[] = [];
  const bench = openForAll({ heartbeatTimeoutMs: 600_000 });
  let wheel: string;
  let builder: string;
  let orders: string;

  async function addKind(name: string, url: string, inputs: object[]): Promise<void> {
    const headers = { authorization: `Bearer ${bench.token}`, host: '127.0.0.1' };
    const exported = await bench.app.inject({ url: `/api/v1${url}/export`, headers });
    expect(exported.statusCode, exported.body.slice(0, 300)).toBe(200);
    const bundle = join(folder, `${name}.zip`);
    writeFileSync(bundle, exported.rawPayload);
    const decided: Answer[] = [];
    for (let start = 0; start < inputs.length; start += 50) {
      const decisions = inputs.slice(start, start + 50).map((input) => ({ decision_type: name, input }));
      const { body, text } = await bench.call('POST', '/decide/batch?dry_run=true', { decisions });
      expect(body.failed, text).toBe(0);
      decided.push(...body.results);
    }
    kinds.push({ name, bundle, inputs, decided });
  }
  async function addTrained(name: string, type: object, examples: object[], config: object = {}): Promise<void> {
    const url = await createTrainable(bench, { ...type, name }, examples);
    await train(bench.call, url, { tune_hyperparams: false, text_model: 'english', ...config });
    await addKind(name, url, examples.map(inputOf));
  }

  beforeAll(async () => {
    await addTrained('trees', { options: ['yes', 'no'] }, parcels, { tune_hyperparams: true });
    await addTrained('text', { options: ['praise', 'complaint'] }, texts);
    await addTrained('tuned', { options: ['praise', 'complaint'] }, texts, {
      tune_encoder: true,
      tuning_tokens: 10_000,
    });
    await addTrained('rules', { ...loanType, input_schema: schema, fallback_option: 'decline' }, loans);
    const made = (await bench.call('POST', '/decision-types', { ...gate, name: 'rules-alone' })).body;
    const url = `/decision-types/${made.id}`;
    const { id } = (await bench.call('POST', `${url}/policies`, { kind: 'rules_only' })).body;
    await bench.call('POST', `${url}/policies/${id}/deploy`);
    await addKind('rules-alone', url, loans.map(inputOf));
    orders = join(folder, 'orders.json');
    writeFileSync(orders, JSON.stringify(kinds.map(({ name, bundle, inputs }) => [name, bundle, inputs])));
    const found = await findPython('3.11');
    if (found === null) throw new Error('The wheel is built by Python 3.11, which was not found.');
    builder = found;
    run(builder, ['-m', 'pip', 'wheel', '-q', '--no-deps', '-w', folder, join(root, 'edge')]);
    wheel = join(folder, readdirSync(folder).find((name) => name.endsWith('.whl')) ?? '');
  }, 1_200_000);
  afterAll(() => removeDataDir(folder));

  function run(command: string, args: readonly string[]): string {
    // Nothing of the repository is in reach, as on an engineer's machine.
    const { PYTHONPATH: _path, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    expect(status, stderr).toBe(0);
    return stdout;
  }
  async function install(version: string, extras: string): Promise<string | null> {
    const python = await findPython(version);
    if (python === null) return null;
    const venv = join(folder, `python-${version}`);
    const path = join(venv, 'bin/python');
    if (!existsSync(path)) run(python, ['-m', 'venv', '--without-pip', venv]);
    // By the pip that built the wheel. What is imported is compiled then, which is the smaller part.
    const pip = ['-m', 'pip', '--python', path, 'install', '-q', '--disable-pip-version-check', '--no-compile'];
    run(builder, [...pip, `${wheel}[${extras}]`]);
    return path;
  }
  /** Every row of each kind as REST decided it; probabilities to 1e-5. Of Spark's struct all fields that it has. */
  function compare(made: Record<string, Partial<Answer>[]>): void {
    for (const { name, decided } of kinds) {
      expect(made[name]).toHaveLength(decided.length);
      for (const [row, there] of decided.entries()) {
        const { class_probabilities, confidence, ...rest } = made[name]?.[row] ?? {};
        const place = `${name}, row ${row}`;
        for (const key of [
          'decision',
          'stage',
          'reason_codes',
          'rules_triggered',
          'fallback_used',
          'escalate',
          'unfamiliar',
        ] as const) {
          expect(rest[key], `${place}, ${key}`).toEqual(there[key]);
        }
        expect(Math.abs((confidence ?? Number.NaN) - there.confidence), place).toBeLessThanOrEqual(tolerance);
        for (const [option, probability] of Object.entries(there.class_probabilities)) {
          expect(Math.abs((class_probabilities?.[option] ?? Number.NaN) - probability), place).toBeLessThanOrEqual(
            tolerance,
          );
        }
      }
    }
  }

  it('has five kinds of bundles that reach every stage', () => {
    const kindOf = (name: string) => {
      const zip = unzipSync(readFileSync(join(folder, `${name}.zip`)), {
        filter: (file) => file.name === 'manifest.json',
      });
      return JSON.parse(strFromU8(zip['manifest.json'] ?? new Uint8Array())).classifier?.kind ?? null;
    };
    expect(['trees', 'blend']).toContain(kindOf('trees'));
    expect(kindOf('rules-alone')).toBeNull();
    const stages = new Set(kinds.flatMap(({ decided }) => decided.map(({ stage }) => stage)));
    expect([...stages].sort()).toEqual(['classifier', 'fallback', 'rules']);
  });

  it('carries its licence and its software bill of materials [PRV-3]', () => {
    const entries = unzipSync(readFileSync(wheel));
    const read = (end: string) =>
      strFromU8(Object.entries(entries).find(([name]) => name.endsWith(end))?.[1] ?? new Uint8Array());
    const bom = JSON.parse(read('.dist-info/sboms/sbom.cdx.json'));
    expect([bom.bomFormat, bom.metadata.component.purl]).toEqual([
      'CycloneDX',
      expect.stringMatching(/^pkg:pypi\/decision-edge@\d/),
    ]);
    const required = [...read('.dist-info/METADATA').matchAll(/^Requires-Dist: ([\w-]+)[^;\n]*$/gm)].map(
      ([, name]) => name,
    );
    expect(required.length).toBeGreaterThan(1);
    expect(bom.dependencies[0].dependsOn).toEqual(required.map((name) => `pkg:pypi/${name}`));
    expect(read('.dist-info/licenses/LICENSE')).toContain('Apache License');
  });

  it.each(versions)('on CPython %s decides every row of five bundles as REST [PRV-5]', async (version) => {
    const python = await install(version, 'rules');
    if (python === null) {
      process.stdout.write(`Left out: the wheel on CPython ${version}, which is not on this machine.\n`);
      return;
    }
    compare(JSON.parse(run(python, ['-c', program, orders])));
  });

  it.runIf(isEvery)('decides the rows of Spark as REST [PRV-5]', async () => {
    const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
    const java = Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
    const python = java >= 17 ? await install('3.11', 'rules,spark') : null;
    if (python === null) {
      process.stdout.write('Left out: Spark, which needs Java 17 or later on the path, and CPython 3.11.\n');
      return;
    }
    compare(JSON.parse(run(python, ['-c', sparkProgram, orders])));
  });
});
