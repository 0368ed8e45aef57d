/** Reading the archive of a decision type: all of it is checked before anything is written. */
import Database from 'better-sqlite3';
import { z } from 'zod';
import { type Bundle, digestParts, unpackBundle } from '../../../engine/bundle/bundle.ts';
import { archiveFormat, archiveZipLimits, toPolicyEntry } from '../../../engine/bundle/type-archive.ts';
import { openZip } from '../../../engine/bundle/zip.ts';
import { definitionSchema } from '../../../engine/domain/definition.ts';
import { type ErrorDetail, WorkbenchError } from '../../../engine/errors.ts';
import { limits } from '../../../engine/limits.ts';
import { checkStrictness, readJsonBody } from '../../../engine/strict-json/json-body.ts';
import { createIdSource, sha256 } from '../../process/clock.ts';
import { withCurrentSettings } from '../../runtime/current-settings.ts';
import { type ExampleRows, ExampleRowWriter } from '../../store/examples/examples.ts';
import {
  type ArchivedAnswer,
  type ArchivedExample,
  type ArchivedPart,
  type ArchivedPolicy,
  type ArchivedType,
  archivedAnswerSchema,
  archivedExampleSchema,
  archivedTypeSchema,
  hasTakenId,
  toArchivedParts,
} from '../../store/upkeep/type-archives.ts';
import { checkDefinition } from '../rules/definition-checks.ts';

/** A checked archive with the ids that its rows get: the type, its examples, and all other rows as they are written. */
export type ReadArchive = {
  type: ArchivedType;
  rows: ExampleRows;
  parts: ArchivedPart[];
  bundles: { policyId: string; bytes: Uint8Array }[];
};
type Zip = ReturnType<typeof openZip>;

const manifestSchema = z.object({ format: z.string(), format_version: z.int() });
/** Levels of `type.json` above what a call may send of it. */
const levelsAround = 4;
const remedy = 'Export the decision type again, or copy the file again.';

function refuse(place: string, problem: string): WorkbenchError {
  return new WorkbenchError('validation_error', `Archive ${place} ${problem}. ${remedy}`, [
    { type: 'archive', loc: ['body', 'file', place], msg: problem },
  ]);
}

/** Reads an archive and gives its rows ids that are free here. Throws `validation_error` with place and remedy. */
export async function readArchive(bytes: Uint8Array, databaseFile: string, nowMs: number): Promise<ReadArchive> {
  const zip = saySource(() => openZip(bytes, archiveZipLimits));
  readManifest(zip);
  const type = readAs('entry type.json', archivedTypeSchema, parse('entry type.json', readEntry(zip, 'type.json')));
  checkNumbers(type);
  const bundles = type.policies.map((policy) => ({ policy, ...readBundle(zip, policy) }));
  await checkVersions(type);
  checkDigests(type, new Map(bundles.map(({ policy, bundle }) => [policy.version, bundle])));
  const examples = readLines(zip, 'examples.jsonl', archivedExampleSchema);
  if (examples.length > limits.maxExamples)
    throw refuse('entry examples.jsonl', `has more than ${limits.maxExamples} lines`);
  const answers = readLines(zip, 'held-out.jsonl', archivedAnswerSchema);
  checkAnswers(type, answers);
  const toId = chooseIds(type, examples, answers, databaseFile, nowMs);
  const moved = {
    ...type,
    id: toId(type.id),
    versions: type.versions.map((version) => ({ ...version, id: toId(version.id) })),
    policies: type.policies.map((policy) => ({
      ...policy,
      id: toId(policy.id),
      follows: policy.follows && toId(policy.follows),
    })),
    questions: type.questions.map((question) => ({ ...question, id: toId(question.id) })),
  };
  return {
    type: moved,
    rows: writeRows(moved.id, examples, toId, nowMs),
    parts: toArchivedParts(
      moved,
      answers.map((answer) => ({ ...answer, example_id: toId(answer.example_id) })),
    ),
    bundles: bundles.map(({ policy, bytes: file }) => ({ policyId: toId(policy.id), bytes: file })),
  };
}

/** Reads a ZIP, and words its refusals as those of an archive. */
function saySource<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const detail = findDetail(error);
    if (detail?.type !== 'bundle') throw error;
    throw refuse(String(detail.loc[1]), detail.msg.replace(/a bundle|the bundle/, 'an archive'));
  }
}

function readEntry(zip: Zip, name: string): Uint8Array {
  const bytes = saySource(() => zip.read(name));
  if (bytes === undefined) throw refuse(`entry ${name}`, 'is missing');
  return bytes;
}

function parse(place: string, bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value = JSON.parse(text);
    checkStrictness(value, text, levelsAround);
    return value;
  } catch (cause) {
    throw refuse(place, `is not JSON that is taken (${describeFault(cause)})`);
  }
}

const findDetail = (error: unknown): ErrorDetail | undefined =>
  error instanceof WorkbenchError ? ((error.details ?? []) as ErrorDetail[])[0] : undefined;

/** Says what is wrong, and where: of a fault of JSON's reader, or of a refusal. */
function describeFault(error: unknown): string {
  const detail = findDetail(error);
  if (detail !== undefined) return `${detail.msg} at ${detail.loc.slice(1).join('.')}`;
  return error instanceof Error ? error.message : '';
}

function readAs<S extends z.ZodType>(place: string, schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refuse(place, `is not valid at ${issue?.path.map(String).join('.') || 'its top'}: ${issue?.message}`);
}

function readManifest(zip: Zip): void {
  const place = 'entry manifest.json';
  const { format, format_version } = readAs(place, manifestSchema, parse(place, readEntry(zip, 'manifest.json')));
  if (format !== archiveFormat.format) throw refuse(place, 'is not that of a decision type');
  if (format_version === archiveFormat.format_version) return;
  throw refuse(
    place,
    `has format ${format_version}, and this program reads ${archiveFormat.format_version}; update it`,
  );
}

/** Refuses rows that name each other by numbers which are not there, or twice. */
function checkNumbers({ versions, policies, releases, aliases, ...type }: ArchivedType): void {
  const [byVersion, byPolicy, byRelease] = [
    new Set(versions.map(({ number }) => number)),
    new Set(policies.map(({ version }) => version)),
    new Set(releases.map(({ number }) => number)),
  ];
  const newest = releases.reduce((most, each) => (each.number > most.number ? each : most), { number: 0, policy: 0 });
  const deployed = policies.filter(({ status }) => status === 'deployed').map(({ version }) => version);
  const isSound =
    byVersion.size === versions.length &&
    byPolicy.size === policies.length &&
    byRelease.size === releases.length &&
    new Set(aliases.map(({ alias }) => alias)).size === aliases.length &&
    byVersion.has(type.active_version) &&
    policies.every((policy) => byVersion.has(policy.type_version)) &&
    releases.every((release) => byPolicy.has(release.policy) && byVersion.has(release.type_version)) &&
    aliases.every(({ number }) => byRelease.has(number)) &&
    (deployed.length === 0 || (deployed.length === 1 && deployed[0] === newest.policy));
  if (!isSound) throw refuse('entry type.json', 'names versions, policies or releases that do not fit each other');
}

function readBundle(zip: Zip, policy: ArchivedPolicy): { bytes: Uint8Array; bundle: Bundle } {
  const name = toPolicyEntry(policy.version);
  const bytes = readEntry(zip, name);
  if (sha256(bytes) !== policy.bundle_sha256) throw refuse(`entry ${name}`, 'is not the file of its policy');
  try {
    return { bytes, bundle: unpackBundle(bytes, sha256) };
  } catch (error) {
    if (error instanceof WorkbenchError) throw refuse(`entry ${name}`, `cannot be used (${error.message})`);
    throw error;
  }
}

/** Checks the definitions that decide or have decided as those of a new type are. */
async function checkVersions({ versions, releases, active_version, fallback_option }: ArchivedType): Promise<void> {
  const deciding = new Map<number, string | null>(releases.map((each) => [each.type_version, each.fallback_option]));
  deciding.set(active_version, fallback_option);
  for (const { number, definition } of versions) {
    if (!deciding.has(number)) continue;
    const [problem] = await checkDefinition({
      definition: definitionSchema.parse(definition),
      fallbackOption: deciding.get(number) ?? null,
      rulesField: 'hard_rules',
      isSchemaKept: false,
    });
    if (problem === undefined) continue;
    throw refuse('entry type.json', `has a version ${number} that cannot decide: ${problem.msg}`);
  }
}

/** Refuses a release that would not decide as its digest says. */
function checkDigests(type: ArchivedType, bundles: ReadonlyMap<number, Bundle>): void {
  const { name, pii_fields: piiFields } = type;
  const versions = new Map(type.versions.map((version) => [version.number, version]));
  const thresholds = new Map(
    type.policies.map((policy) => [policy.version, policy.training_config.escalation_threshold]),
  );
  for (const { number, policy, type_version, fallback_option: fallbackOption, digest } of type.releases) {
    const [bundle, version] = [bundles.get(policy), versions.get(type_version)];
    if (bundle === undefined || version === undefined) continue;
    const definition = definitionSchema.parse(version.definition);
    const activeVersion = { id: version.id, versionNumber: type_version, definition, createdAt: version.created_at };
    const settings = { name, piiFields, fallbackOption, activeVersion };
    const parts = withCurrentSettings(bundle, settings, thresholds.get(policy) ?? null);
    if (digestParts(parts, sha256) === digest) continue;
    throw refuse('entry type.json', `has a release ${number} that does not decide as its digest says`);
  }
}

const newline = 0x0a;

function readLines<S extends z.ZodType>(zip: Zip, name: string, schema: S): z.output<S>[] {
  const bytes = readEntry(zip, name);
  const rows: z.output<S>[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at);
    const place = `entry ${name}, line ${rows.length + 1},`;
    if (end < 0) throw refuse(place, 'is cut off');
    let value: unknown;
    try {
      value = readJsonBody(bytes.subarray(at, end));
    } catch (error) {
      if (!(error instanceof WorkbenchError)) throw error;
      throw refuse(place, `cannot be read (${describeFault(error)})`);
    }
    rows.push(readAs(place, schema, value));
    at = end + 1;
  }
  return rows;
}

/** Refuses held-out rows of a policy that is not there, or of one example twice. */
function checkAnswers({ policies }: ArchivedType, answers: readonly ArchivedAnswer[]): void {
  const held = new Map(policies.map(({ version }) => [version, new Set<string>()]));
  for (const [index, { policy, example_id: exampleId }] of answers.entries()) {
    const place = `entry held-out.jsonl, line ${index + 1},`;
    const ofPolicy = held.get(policy);
    if (ofPolicy === undefined) throw refuse(place, `names policy v${policy}, which is not there`);
    if (ofPolicy.has(exampleId)) throw refuse(place, `has example ${exampleId} of policy v${policy} a second time`);
    ofPolicy.add(exampleId);
  }
}

/** Keeps all ids where each is free here, also those of rows that are not in the file; else all are new. */
function chooseIds(
  { id, versions, policies, questions }: ArchivedType,
  examples: readonly ArchivedExample[],
  answers: readonly ArchivedAnswer[],
  databaseFile: string,
  nowMs: number,
): (id: string) => string {
  const ids = [
    ...[id, ...[...versions, ...policies, ...questions].map((row) => row.id)],
    ...examples.flatMap((example) => (example.logId === null ? [example.id] : [example.id, example.logId])),
  ];
  if (new Set(ids).size < ids.length) throw refuse('file', 'uses an id twice');
  const named = [
    ...policies.flatMap(({ follows }) => (follows === null ? [] : [follows])),
    ...answers.map((answer) => answer.example_id),
  ];
  const db = new Database(databaseFile, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    if (!hasTakenId(db, [...new Set([...ids, ...named])])) return (known) => known;
  } finally {
    db.close();
  }
  const newId = createIdSource(() => nowMs);
  const chosen = new Map<string, string>();
  return (known) => {
    const made = chosen.get(known) ?? newId();
    chosen.set(known, made);
    return made;
  };
}

function writeRows(
  decisionTypeId: string,
  examples: readonly ArchivedExample[],
  toId: (id: string) => string,
  nowMs: number,
): ExampleRows {
  const rows = new ExampleRowWriter(decisionTypeId, nowMs);
  for (const example of examples)
    rows.add({ ...example, id: toId(example.id), logId: example.logId && toId(example.logId) });
  return rows.finish();
}
