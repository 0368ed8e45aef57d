/** Moving a decision type between workbenches: packed into an archive, made from one, or decided for by a bundle. */
import { rmSync } from 'node:fs';
import { readPart } from '../../../door/errors/parse-part.ts';
import { refuseProblems } from '../../../door/errors/validation-error.ts';
import { nextTurn } from '../../../door/turns.ts';
import { definitionSchema } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import { decisionTypeCreateSchema } from '../../contract/types/decision-types.ts';
import { maxArchiveBytes } from '../../contract/upkeep/archives.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import type { Foundation } from '../../foundation.ts';
import type { ReadArchive } from '../../preparation/archives/read-archive.ts';
import type { ReadBundle } from '../../preparation/archives/read-bundle.ts';
import type { MovedFile } from '../../preparation/archives/read-moved.ts';
import type { Upload } from '../../preparation/archives/upload.ts';
import { sha256 } from '../../process/clock.ts';
import { writeDurably } from '../../process/durable-file.ts';
import { hasSameOptions } from '../../runtime/current-settings.ts';
import { artifactPath } from '../../runtime/deployed-deciders.ts';
import type { StoredQuestion } from '../../store/deciding/questions.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { Author } from '../../store/types/authors.ts';
import { type DecisionTypeRecord, publishings } from '../../store/types/decision-types.ts';
import { doByTwo, findAuthor, noteAuthor } from '../authors.ts';
import type { Questions } from '../deciding/questions.ts';
import type { ExampleAdditions } from '../examples/example-additions.ts';
import { prepareDeployedPolicy, withSettings, writeSettings } from '../policies/deployment.ts';
import { readPolicy } from '../policies/policies.ts';
import { assessPolicy, passVerdict, type VerdictDeps } from '../policies/verdict.ts';
import { noteRelease } from '../releases.ts';
import {
  findDecisionType,
  insertDecisionType,
  refuseAnother,
  refuseChangedMeanwhile,
  refuseOtherState,
} from '../types/decision-types.ts';
import { listConnectionProblems, listNameProblems } from '../types/type-names.ts';

type MoveDeps = VerdictDeps & { exampleAdditions: ExampleAdditions; questions: Questions };
/** The type that a file made, the numbers of its rows, and the names in it that nothing has here. */
export type MovedType = {
  type: DecisionTypeRecord;
  examples: number;
  policies: number;
  releases: number;
  notes: string[];
};

/** Packs a type with all that belongs to it. Throws `conflict` (too large) or `unavailable` (a policy's file). */
export function packType(deps: Foundation, caller: Caller, type: DecisionTypeRecord): Promise<Uint8Array> {
  const { database: databaseFile, artifacts: artifactsDir } = toFolderPaths(deps.options.dataDir);
  const order = { databaseFile, artifactsDir, typeId: type.id, maxBytes: maxArchiveBytes };
  return deps.preparation.runAdmitted(toCallerId(caller), 'packTypeArchive', order);
}

/** Makes a type from an archive or a bundle, or nothing. Throws `validation_error`, `conflict` or `quota_exceeded`. */
export async function importType(
  deps: MoveDeps,
  caller: Caller,
  upload: Upload,
  alongside: (moved: MovedType) => void,
): Promise<MovedType> {
  const policy = { policyId: deps.newId(), version: 1, typeName: null };
  const file = await readFile(deps, caller, upload, policy);
  return file.kind === 'archive'
    ? importArchive(deps, caller, file, alongside)
    : importBundleAsType(deps, caller, policy.policyId, file, alongside);
}

function readFile(
  deps: Foundation,
  caller: Caller,
  upload: Upload,
  policy: { policyId: string; version: number; typeName: string | null },
): Promise<MovedFile> {
  const databaseFile = toFolderPaths(deps.options.dataDir).database;
  return deps.preparation.run(toCallerId(caller), 'readMovedFile', {
    upload,
    databaseFile,
    nowMs: deps.clock.now(),
    policy,
  });
}

async function importArchive(
  deps: MoveDeps,
  caller: Caller,
  { name, type: archived, rows, parts, bundles }: MovedFile & { kind: 'archive' },
  alongside: (moved: MovedType) => void,
): Promise<MovedType> {
  const { store } = deps;
  const { decisionTypes, typeArchives } = store;
  const record = toRecord(caller, { ...archived, name: name ?? archived.name });
  refuseAnother(deps, caller, record.name);
  const deployed = archived.policies.find(({ status }) => status === 'deployed');
  let notes = [...listNotes(deps, caller, record), ...(archived.releases.length > 0 ? [unprovenHistory] : [])];
  const toMoved = (): MovedType => ({
    type: findDecisionType(deps, caller, record.id),
    examples: rows.count,
    policies: archived.policies.length,
    releases: archived.releases.length,
    notes,
  });
  const begin = () => {
    if (decisionTypes.find(record.id) !== null)
      throw new WorkbenchError('conflict', 'The file is being imported already.');
    decisionTypes.insert(record);
    decisionTypes.remove(record.id, 0);
  };
  const end = () => {
    refuseAnother(deps, caller, record.name);
    typeArchives.finish(archived);
    // Who made them elsewhere is not known: they are the importer's.
    for (const { id } of archived.policies) noteAuthor(deps, caller, record, `policy ${id}`);
    for (const { number } of archived.releases) noteAuthor(deps, caller, record, `release ${number}`);
    decisionTypes.restore(record.id);
    notes = [
      ...notes,
      ...deps.questions.take(
        caller,
        archived.questions.map((each) => toQuestion(record.id, each)),
      ),
    ];
    store.deployments.forget();
    alongside(toMoved());
  };
  await withFiles(deps, bundles, async () => {
    const file = bundles.find(({ policyId }) => policyId === deployed?.id);
    if (file !== undefined) await deps.runtime.deployed.selfTest(file.bytes);
    const others = parts.map((part) => () => typeArchives.insertPart(record.id, part));
    await deps.exampleAdditions.add(rows, begin, end, undefined, others);
  });
  if (deployed !== undefined) await prepareDeployedPolicy(deps, deployed.id);
  return toMoved();
}

const toQuestion = (typeId: string, archived: ReadArchive['type']['questions'][number]): StoredQuestion => {
  const { created_at: createdAt, ...question } = archived;
  return { ...question, typeId, createdAt };
};

function toRecord(caller: Caller, archived: ReadArchive['type']): Omit<DecisionTypeRecord, 'seq'> {
  const active = archived.versions.find(({ number }) => number === archived.active_version);
  if (active === undefined) throw new Error('The archive has no active version.');
  const { name, description, pii_fields, retention_days, fallback_option, costs, one_case, groups, audit } = archived;
  const settings = { name, description, pii_fields, retention_days, fallback_option, costs, one_case, groups, audit };
  readPart(decisionTypeCreateSchema, { ...settings, ...definitionSchema.parse(active.definition) });
  refuseProblems(listNameProblems(active.definition, null));
  return {
    id: archived.id,
    organisationId: caller.organisationId,
    ...{ name, description, costs, groups, audit },
    oneCase: one_case,
    piiFields: pii_fields,
    retentionDays: retention_days,
    fallbackOption: fallback_option,
    publishing: publishings[archived.publish_by_hand] ?? 'by_hand',
    draft: null,
    activeVersion: {
      id: active.id,
      versionNumber: active.number,
      definition: active.definition,
      createdAt: active.created_at,
    },
    createdAt: archived.created_at,
    updatedAt: archived.updated_at,
  };
}

/** Said of a file with a history: all of it is checked to be possible, and none of it to have happened. */
const unprovenHistory =
  'Its labels, readers, figures, and who released what and why, are as the file says: none of it happened here.';

function listNotes(
  deps: Foundation,
  caller: Caller,
  { activeVersion }: Pick<DecisionTypeRecord, 'activeVersion'>,
): string[] {
  return listConnectionProblems(deps, caller, activeVersion.definition.escalation_policy).map(
    ({ msg }) => `Escalation: ${msg}. Until then the fallback answers.`,
  );
}

/** Runs `work` with these files in the folder of policies; they go where it fails. */
async function withFiles<T>(
  deps: Foundation,
  bundles: readonly { policyId: string; bytes: Uint8Array }[],
  work: () => Promise<T>,
): Promise<T> {
  const { artifacts } = toFolderPaths(deps.options.dataDir);
  const written: string[] = [];
  try {
    for (const { policyId, bytes } of bundles) {
      const file = artifactPath(artifacts, policyId);
      writeDurably(file, bytes);
      written.push(file);
      await nextTurn();
    }
    return await work();
  } catch (error) {
    for (const file of written) rmSync(file, { force: true });
    throw error;
  }
}

async function importBundleAsType(
  deps: MoveDeps,
  caller: Caller,
  policyId: string,
  { file, typeName, definition, piiFields, fallbackOption, marks, ...bundle }: MovedFile & { kind: 'bundle' },
  alongside: (moved: MovedType) => void,
): Promise<MovedType> {
  const settings = { name: typeName, pii_fields: piiFields, fallback_option: fallbackOption };
  const request = readPart(decisionTypeCreateSchema, { ...settings, ...definition });
  refuseProblems(listNameProblems(definition, null));
  refuseAnother(deps, caller, typeName);
  const moved = await withFiles(deps, [{ policyId, bytes: file }], async () => {
    await deps.runtime.deployed.selfTest(file);
    await deps.store.writeLock.whenFree();
    return deps.store.transaction(() => {
      const type = insertDecisionType(deps, caller, request, definition);
      deployBundle(deps, caller, type, { policyId, version: 1, file, ...bundle, first: null });
      const marked = { typeId: type.id, createdAt: deps.clock.now() };
      const left = deps.questions.take(
        caller,
        marks.map(({ asked: shown, opposite: _of, ...mark }) => ({ ...mark, ...marked, shown, id: deps.newId() })),
      );
      const made = { type: findDecisionType(deps, caller, type.id), examples: 0, policies: 1, releases: 1 };
      const answer = { ...made, notes: [...listNotes(deps, caller, type), ...left] };
      alongside(answer);
      return answer;
    });
  });
  await prepareDeployedPolicy(deps, policyId);
  return moved;
}

/**
 * Lets a bundle decide for a type that has its options, with its rules, schema, thresholds, readings and fallback.
 * Throws `validation_error`, `conflict` (options, self-test, verdict, changed meanwhile) or `precondition_failed`.
 */
export async function importPolicy(
  deps: VerdictDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  { upload, ifMatch }: { upload: Upload; ifMatch: string | null },
  alongside: (release: ReleaseRecord) => void,
): Promise<ReleaseRecord> {
  const { store, runtime } = deps;
  refuseOtherState(deps, type, ifMatch);
  const policyId = deps.newId();
  const version = store.policies.getNextVersion(type.id);
  const moved = await readFile(deps, caller, upload, { policyId, version, typeName: type.name });
  if (moved.kind !== 'bundle') throw new Error('An archive was read for a type that is there.');
  const { definition, fallbackOption, file } = moved;
  refuseProblems(listNameProblems(definition, type.activeVersion.definition));
  if (!hasSameOptions(definition.options, type.activeVersion.definition.options)) {
    throw new WorkbenchError(
      'conflict',
      `The bundle decides among ${definition.options.join(', ')}, and the type has other options. Import it as a type of its own.`,
    );
  }
  const act = { bundle: moved.sentSha256 };
  const place = (first: Author | null) =>
    withFiles(deps, [{ policyId, bytes: file }], async () => {
      await runtime.deployed.selfTest(file);
      const next = withSettings(deps, type, definition, fallbackOption);
      const decider = () => runtime.deployed.compilePresent(next, file, null);
      await deps.pinnedCases.decide(next, { id: policyId, bundleSha256: sha256(file) }, decider);
      await store.writeLock.whenFree();
      return store.transaction(() => {
        const now = findDecisionType(deps, caller, type.id);
        refuseChangedMeanwhile(deps, now, type);
        writeSettings(deps, now, next);
        const made = deployBundle(deps, caller, findDecisionType(deps, caller, type.id), {
          policyId,
          version,
          ...moved,
          first,
        });
        alongside(made);
        return made;
      });
    });
  const release = await doByTwo(deps, caller, type, act, place);
  await prepareDeployedPolicy(deps, policyId);
  return release;
}

type NewBundle = Pick<ReadBundle, 'file' | 'isRulesOnly' | 'snapshotSha256' | 'seed'> & {
  /** Who asked for it before, where two have to. */
  first: Author | null;
  policyId: string;
  version: number;
  reason: string | null;
};

/** Writes the policy of a bundle and puts it in charge of a type that has its settings already, by its verdict. */
function deployBundle(
  deps: VerdictDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  { policyId, version, file, isRulesOnly, snapshotSha256, seed, reason, first }: NewBundle,
): ReleaseRecord {
  const { store, clock, toolVersion } = deps;
  store.policies.insertUntrained(type, {
    id: policyId,
    version,
    toolVersions: { node: process.version, tool: toolVersion },
    bundle: { sha256: sha256(file), sizeBytes: file.length },
    createdAt: clock.now(),
    origin: isRulesOnly ? null : { seed: seed ?? 0, snapshotSha256: snapshotSha256 ?? 'unknown' },
  });
  const verdict = assessPolicy(deps, type, readPolicy(store, policyId));
  const over = passVerdict(deps, caller, type, { verdict, work: null, reason });
  store.deployments.deploy(policyId, false);
  const author = findAuthor(store, caller);
  const note = { by: author.name, reason: reason ?? 'Imported as a bundle.', over, isAutomatic: false };
  noteRelease(deps, type.id, { ...note, isDeployment: true, authors: first === null ? [author] : [first] });
  const release = store.releases.findNewest(type.id);
  if (release === null) throw new Error('The release was not noted.');
  return release;
}
