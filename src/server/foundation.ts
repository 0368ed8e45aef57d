/** The parts below the services, which every service and operation is given whole. start.ts puts them together. */

import type { ServiceMetrics } from '../door/service-metrics.ts';
import type { Sha256 } from '../engine/ports.ts';
import type { Auth } from './auth/auth.ts';
import type { Caretaker } from './data-folder/caretaker.ts';
import type { FolderWatch } from './data-folder/watch.ts';
import type { EventHub } from './events/event-hub.ts';
import type { PendingWrites } from './jobs/pending-writes.ts';
import type { Metering } from './metering/metering.ts';
import type { Preparation, WrittenAnswer } from './preparation/preparation.ts';
import type { Clock } from './process/clock.ts';
import type { Log } from './process/log.ts';
import type { ServerOptions } from './process/options.ts';
import type { Runtime } from './runtime/runtime.ts';
import type { WorkbenchDatabase } from './store/database.ts';
import type { Store } from './store/store.ts';

export type Foundation = {
  options: ServerOptions;
  toolVersion: string;
  /** The OpenAPI document. */
  openApi(): Promise<WrittenAnswer>;
  clock: Clock;
  log: Log;
  newId(): string;
  sha256: Sha256;
  db: WorkbenchDatabase;
  /** Queries, one record per noun; SQL lives only there. */
  store: Store;
  folderWatch: FolderWatch;
  caretaker: Caretaker;
  auth: Auth;
  metering: Metering;
  events: EventHub;
  runtime: Runtime;
  preparation: Preparation;
  pendingWrites: PendingWrites;
  serviceMetrics: ServiceMetrics;
};
