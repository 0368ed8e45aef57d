/** Alerts that have not arrived yet, kept in a file beside the receiver's secret: a restored copy sends none. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { alertSchema } from '../contract/upkeep/upkeep.ts';
import { toFolderPaths } from '../data-folder/folder.ts';
import { writeDurably } from '../process/durable-file.ts';
import type { Log } from '../process/log.ts';

const waitingSchema = z.strictObject({ alert: alertSchema, organisationId: z.string().nullable(), tries: z.int() });
export type WaitingAlert = z.infer<typeof waitingSchema>;

/** The queue of the one receiver, oldest first. */
export class WaitingAlerts {
  readonly #file: string;
  readonly #log: Log;
  #waiting: WaitingAlert[];

  /** Reads the queue of an earlier run; a damaged file counts as empty, and the log says so. */
  constructor(dataDir: string, log: Log) {
    this.#file = path.join(toFolderPaths(dataDir).secrets, 'waiting-alerts.json');
    this.#log = log;
    this.#waiting = this.#read();
  }

  #read(): WaitingAlert[] {
    if (!existsSync(this.#file)) return [];
    try {
      return z.array(waitingSchema).parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch (err) {
      this.#log.error({ err }, 'the alerts that waited could not be read');
      return [];
    }
  }

  get all(): readonly WaitingAlert[] {
    return this.#waiting;
  }

  set(waiting: readonly WaitingAlert[]): void {
    this.#waiting = [...waiting];
    try {
      writeDurably(this.#file, Buffer.from(JSON.stringify(this.#waiting)));
    } catch (err) {
      // A full disk is an alert itself: what cannot be kept over a restart is sent all the same.
      this.#log.error({ err }, 'the alerts that wait could not be kept');
    }
  }
}
