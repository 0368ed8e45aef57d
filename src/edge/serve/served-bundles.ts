/** The bundle files that are served, each with its last good version. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { InvalidBundle, type TextModelFiles } from '../api.ts';
import { readBytes, readTextModel, toPlatform } from '../node-files.ts';
import { type OpenBundle, openBundle } from '../predictor.ts';

/** Where the service says what happens to its files. */
export type ServiceLog = { info(text: string): void; error(text: string): void };

/** A file that may be replaced while it is served. */
export class ServedBundle {
  readonly #path: string;
  readonly #textModel: TextModelFiles | null;
  #seen: string;
  #opened: OpenBundle;
  /** Why the current file does not decide; the version before it does. */
  problem: string | null = null;

  private constructor(path: string, textModel: TextModelFiles | null, seen: string, opened: OpenBundle) {
    this.#path = path;
    this.#textModel = textModel;
    this.#seen = seen;
    this.#opened = opened;
  }

  /** Opens a file. Rejects with InvalidBundle, naming the file. */
  static async open(path: string, textModel: TextModelFiles | null): Promise<ServedBundle> {
    // Looked at before it is read, so that a change in the meantime is read again.
    const seen = identify(path);
    return new ServedBundle(path, textModel, seen, await openFile(path, textModel));
  }

  get file(): string {
    return basename(this.#path);
  }

  /** The version that decides; a call keeps to it although the file is replaced. */
  get opened(): OpenBundle {
    return this.#opened;
  }

  get name(): string {
    return this.#opened.info.decision_type;
  }

  /** Decides by the current file where it has changed and can be used; else goes on and keeps the `problem`. */
  async reload(log: ServiceLog): Promise<void> {
    const seen = identify(this.#path);
    if (seen === this.#seen) return;
    this.#seen = seen;
    try {
      const newer = await openFile(this.#path, this.#textModel);
      const { decision_type: name, policy_version: version } = newer.info;
      if (name !== this.name) {
        await newer.close();
        throw new InvalidBundle(`${this.file}: It holds the decision type “${name}”; serve that as a file of its own.`);
      }
      // Calls under way may still ask the text model of the version before, whose memory goes with its last call.
      this.#opened = newer;
      this.problem = null;
      log.info(`${this.file} was replaced: ${version} of “${name}” decides now.`);
    } catch (error) {
      // A file that is wrong must not end the service.
      const reason = error instanceof Error ? error.message : String(error);
      this.problem = `${reason} The version before it goes on deciding “${this.name}”.`;
      log.error(this.problem);
    }
  }
}

/** Opens files by the decision types that they hold. Rejects with InvalidBundle, also where two hold the same one. */
export async function openBundles(
  paths: readonly string[],
  textModelFolder: string | undefined,
): Promise<ReadonlyMap<string, ServedBundle>> {
  const textModel = textModelFolder === undefined ? null : await readTextModel(textModelFolder);
  const bundles = new Map<string, ServedBundle>();
  for (const path of paths) {
    const bundle = await ServedBundle.open(path, textModel);
    const other = bundles.get(bundle.name);
    if (other !== undefined)
      throw new InvalidBundle(
        `${other.file} and ${bundle.file} both hold the decision type “${bundle.name}”; give one.`,
      );
    bundles.set(bundle.name, bundle);
  }
  return bundles;
}

async function openFile(path: string, textModel: TextModelFiles | null): Promise<OpenBundle> {
  const bytes = await readBytes(path);
  try {
    return await openBundle(bytes, toPlatform(textModel));
  } catch (error) {
    if (error instanceof InvalidBundle) error.message = `${basename(path)}: ${error.message}`;
    throw error;
  }
}

function identify(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
