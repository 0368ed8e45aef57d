/** The folder in which everything lies: which one is ours, what identifies it, and when it must not be used. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../process/durable-file.ts';
import { StartError } from '../process/start-error.ts';
import { checkSchemaVersion, type Migration, openDatabase, type WorkbenchDatabase } from '../store/database.ts';
import { inspectDatabase, readFolderId, writeFolderId } from '../store/upkeep/folder-identity.ts';

/** The paths of the files and folders in a data folder. */
export const toFolderPaths = (dataDir: string) => ({
  database: path.join(dataDir, 'workbench.db'),
  identity: path.join(dataDir, 'data-folder.json'),
  secrets: path.join(dataDir, 'secrets'),
  artifacts: path.join(dataDir, 'artifacts'),
  backups: path.join(dataDir, 'backups'),
  logHead: path.join(dataDir, 'log-head.json'),
  trash: path.join(dataDir, 'trash'),
  /** Files of open imports, of which a start leaves nothing. */
  imports: path.join(dataDir, 'imports'),
  /** Those that the user added. */
  textModels: path.join(dataDir, 'text-models'),
});

/** Entries allowed in a folder that is not yet a data folder: of a start that was cut off, or of the system. */
const harmlessName =
  /^(workbench\.db(-wal|-shm|-journal)?|instance\.lock\.db(-journal)?|runtime\.json(\.tmp)?|data-folder\.json\.part|log-head\.json(\.part)?|secrets|artifacts|encodings|imports|trash|backups|text-models|lost\+found|\.DS_Store)$/;
/** The mode bit of a folder in which everybody has files, such as /tmp. */
const stickyBit = 0o1000;

const identitySchema = z.object({ id: z.string().min(1), schema_version: z.int(), created_at: z.string() });
/** Says which data folder this is; the database carries the same id. */
type FolderIdentity = z.infer<typeof identitySchema>;

/** Reads the identity of a data folder; null where it has none. Throws StartError `data` when the file is damaged. */
function readIdentity(dataDir: string): FolderIdentity | null {
  const file = toFolderPaths(dataDir).identity;
  if (!existsSync(file)) return null;
  try {
    return identitySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new StartError(
      'data',
      `The file ${file} is damaged. Put it back from a backup, or remove it if the database beside it is the right one.`,
      { cause },
    );
  }
}

/** Makes a data folder; throws StartError `data` for one that is everybody's or holds others' files. */
export function prepareDataFolder(dataDir: string): void {
  if (!existsSync(dataDir)) {
    try {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw toStartError(dataDir, cause);
    }
    return;
  }
  const found = statSync(dataDir);
  const { identity, database } = toFolderPaths(dataDir);
  if (!found.isDirectory()) throw new StartError('data', `${dataDir} is not a folder. Choose another with --data-dir.`);
  if (existsSync(identity)) return;
  const foreign = readdirSync(dataDir).find((name) => !harmlessName.test(name));
  const isShared = (found.mode & stickyBit) !== 0;
  if (!isShared && (foreign === undefined || existsSync(database))) return;
  throw new StartError(
    'data',
    `The folder ${dataDir} is not a data folder of the workbench and ` +
      `${isShared ? 'is shared by all users' : `holds other things (${foreign})`}. Choose another with --data-dir.`,
  );
}

/** Throws StartError `data` when no workbench was ever started on the folder. */
export function requireDataFolder(dataDir: string): void {
  const { identity, database } = toFolderPaths(dataDir);
  if (existsSync(identity) || existsSync(database)) return;
  throw new StartError('data', `There are no data of the workbench in ${dataDir}. Start the workbench on it first.`);
}

/**
 * Opens the database of a folder that nobody else uses, and gives the folder its identity. Throws StartError, nothing
 * changed, for one that is missing, damaged, foreign or newer.
 */
export function openDataFolder(
  dataDir: string,
  settings: Omit<Parameters<typeof openDatabase>[1], 'backupsDir'> & { newId(): string; now(): number },
): WorkbenchDatabase {
  try {
    return openIdentified(dataDir, settings);
  } catch (cause) {
    throw toStartError(dataDir, cause);
  }
}

/** SQLite's codes for a file that cannot be read or written; its other errors are faults of the program. */
const storageErrors = /^SQLITE_(IOERR|FULL|CANTOPEN|READONLY|PERM)/;

/** An error of the database, or of the file system in the data folder, as a sentence; every other error as it is. */
export function toStartError(dataDir: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StartError || !('code' in cause)) return cause;
  const code = String(cause.code);
  // Too many open files are no matter of the folder.
  if (code === 'EMFILE' || code === 'ENFILE') return cause;
  if (!('syscall' in cause) && !storageErrors.test(code)) return cause;
  if ('path' in cause && !String(cause.path).startsWith(dataDir)) return cause;
  const what = 'syscall' in cause ? `${code}, ${String(cause.syscall)} ${'path' in cause ? cause.path : ''}` : code;
  const remedy = 'Make it, and what lies in it, yours and writable, with space on its disk.';
  return new StartError('data', `The data folder ${dataDir} cannot be used (${what}). ${remedy}`, { cause });
}

function openIdentified(dataDir: string, settings: Parameters<typeof openDataFolder>[1]): WorkbenchDatabase {
  const paths = toFolderPaths(dataDir);
  const identity = readIdentity(dataDir);
  checkDatabase(dataDir, identity, settings.migrations);
  const db = openDatabase(paths.database, { ...settings, backupsDir: paths.backups });
  try {
    let id = readFolderId(db);
    if (id === null) {
      id = settings.newId();
      writeFolderId(db, id);
    }
    const schemaVersion = settings.migrations.at(-1)?.version ?? 0;
    if (identity?.schema_version !== schemaVersion) {
      const createdAt = identity?.created_at ?? new Date(settings.now()).toISOString();
      writeIdentity(dataDir, { id, schema_version: schemaVersion, created_at: createdAt });
    }
    for (const folder of [dataDir, paths.secrets, paths.artifacts]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function writeIdentity(dataDir: string, identity: FolderIdentity): void {
  writeDurably(toFolderPaths(dataDir).identity, Buffer.from(`${JSON.stringify(identity, null, 2)}\n`));
}

function checkDatabase(dataDir: string, identity: FolderIdentity | null, migrations: readonly Migration[]): void {
  const { database } = toFolderPaths(dataDir);
  if (identity !== null) checkSchemaVersion(identity.schema_version, migrations);
  const state = inspectDatabase(database);
  const remedy = 'Put the right one in its place, or restore a backup into a new data folder. Nothing was changed.';
  if (state.kind === 'missing' || state.kind === 'empty') {
    if (identity === null && !holdsData(dataDir)) return;
    throw new StartError('data', `The database ${database} is ${state.kind}, but the folder was in use. ${remedy}`);
  }
  if (state.kind === 'foreign') {
    throw new StartError('data', `The database ${database} is not one of the workbench. ${remedy}`);
  }
  checkSchemaVersion(state.schemaVersion, migrations);
  if (identity === null || state.folderId === identity.id) return;
  throw new StartError('data', `The database ${database} belongs to another data folder. ${remedy}`);
}

/** Whether policies or secrets lie in the folder, which mean nothing without their database. */
function holdsData(dataDir: string): boolean {
  const { artifacts, secrets } = toFolderPaths(dataDir);
  return [artifacts, secrets].some((folder) => existsSync(folder) && readdirSync(folder).length > 0);
}
