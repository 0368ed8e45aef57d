import { QueryClient } from '@tanstack/react-query';
import { ApiError, type Client, createClient, type Fetch } from '../server/contract/client.ts';
import type { Example } from '../server/contract/examples/examples.ts';
import type { DecisionType } from '../server/contract/types/decision-types.ts';
import { createActs } from './api/acts.ts';
import { findStale, invalidate } from './api/changes.ts';
import { createHealth } from './api/health.ts';
import type { Journal, OutboxEntry } from './api/journal.ts';
import { aheadKey, findCachedExample, patchCachedExample } from './api/labels.ts';
import { createLive, type LivePorts } from './api/live.ts';
import { createOutbox, type Outbox } from './api/outbox.ts';
import { withOwnWrites } from './api/own-writes.ts';
import { createSession } from './api/session.ts';
import { createCommandRegistry } from './commands/registry.ts';
import { shorten, summariseInput } from './parts/text/inputs.ts';
import { createDraftStore } from './state/drafts.ts';
import { notify } from './state/notices.tsx';
import { createSettings } from './state/settings.ts';
import { createUiStore } from './state/ui.ts';
import type { Workbench } from './state/workbench.ts';

/** The borders of the page: network, what the browser keeps, and which of its windows are alive. */
type Borders = {
  baseUrl: string;
  fetch: Fetch;
  /** Of this tab: its name. */
  storage: Storage;
  /** Of this browser: the session, drafts and settings. */
  kept: Storage;
  journal: Journal;
  liveWindows(): Promise<ReadonlySet<string>>;
  windowId: string;
  lead: LivePorts['lead'];
};

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: 400,
        staleTime: 2_000,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/** Characters by which a message names a row. */
const maxNamedLength = 60;
const tabNameKey = 'decision-workbench.tab';

function readTabName(storage: Storage): string {
  const name = storage.getItem(tabNameKey) ?? crypto.randomUUID();
  storage.setItem(tabNameKey, name);
  return name;
}

/** Sends labels of an example: a second reading beside the first one, all others in the place of those before. */
function sendLabels(client: Client, entry: OutboxEntry, reader: { reader?: string }): Promise<Example> {
  const { typeId, exampleId, replaces } = entry;
  const params = { decision_type_id: typeId, example_id: exampleId };
  const { second_reading: isSecond, ...patch } = entry.patch;
  if (isSecond) {
    const { expected_decision = null, note = null } = patch;
    return client.call('second_readings.give', { params, body: { expected_decision, note, ...reader } });
  }
  const body = { ...patch, ...(replaces === undefined ? {} : { replaces }), ...reader };
  return client.call('examples.update', { params, body });
}

function readTag(queries: QueryClient, typeId: string): string | null {
  const key = ['decision_types.get', { params: { decision_type_id: typeId }, query: {} }];
  return queries.getQueryData<DecisionType>(key)?.etag ?? null;
}

const probeServer = ({ fetch, baseUrl }: Borders) =>
  fetch(`${baseUrl}/health`, { method: 'GET' }).then(
    ({ ok }) => ok,
    () => false,
  );

const isConflict = (error: unknown) => error instanceof ApiError && error.code === 'conflict';

/** Says which label was not saved, and why. */
function describeRefusal(row: Example | undefined, { patch }: OutboxEntry, error: unknown): string {
  const name = row ? `The label of “${shorten(summariseInput(row.input_payload), maxNamedLength)}”` : 'A label';
  const isTaken = isConflict(error) && !patch.second_reading;
  const why = isTaken
    ? 'Somebody else has labelled it otherwise meanwhile.'
    : error instanceof Error
      ? error.message
      : String(error);
  return `${name} was not saved. ${why}`;
}

/** Shows labels as the server has confirmed them, unless others of the example are on their way. */
function takeConfirmed(
  { queries, outbox }: Pick<Workbench, 'queries' | 'outbox'>,
  { exampleId, patch: { second_reading } }: OutboxEntry,
  { expected_decision, reviewed, reason_codes, status }: Example,
): void {
  if (outbox.store.getState().waiting.filter((entry) => entry.exampleId === exampleId).length > 1) return;
  const confirmed = { expected_decision, reviewed, reason_codes, status };
  patchCachedExample(queries, exampleId, { ...confirmed, ...(second_reading && { second_reading }) });
}

/** Goes back to the row of a label that was refused, as the server has it, and says why. */
function tellRefusal(
  { queries, outbox, acts, live }: Pick<Workbench, 'queries' | 'outbox' | 'acts' | 'live'>,
  entry: OutboxEntry,
  error: unknown,
): void {
  const { typeId, exampleId, patch } = entry;
  notify({
    kind: 'error',
    text: describeRefusal(findCachedExample(queries, exampleId), entry, error),
    ...(isConflict(error) && { act: { title: 'Keep my label', run: () => outbox.put(typeId, exampleId, patch) } }),
  });
  acts.refused(exampleId);
  void live.refresh(typeId, exampleId);
  void invalidate(queries, { names: ['examples.list', 'examples.stats'], typeId });
}

/** Builds the parts of the page around its borders. */
export function createWorkbench(borders: Borders): Workbench {
  const session = createSession(borders.kept);
  const queries = createQueries();
  const health = createHealth(
    () => probeServer(borders),
    () => {
      outbox.retry();
      void queries.invalidateQueries();
    },
  );
  const server = createClient({
    baseUrl: borders.baseUrl,
    fetch: borders.fetch,
    token: session.token,
    newRequestId: () => `${borders.windowId} ${crypto.randomUUID()}`,
    onUnauthorized: () => session.close('The session has ended or the token is not valid here.'),
    onAnswer: health.note,
  });
  const client = withOwnWrites(server, {
    readTag: (typeId) => readTag(queries, typeId),
    onRelabelled: (typeId) => {
      outbox.distrust(typeId);
      queries.removeQueries({ queryKey: [aheadKey, typeId] });
    },
  });
  const settings = createSettings(borders.kept);
  const outbox: Outbox = createOutbox({
    journal: borders.journal,
    window: borders.windowId,
    liveWindows: borders.liveWindows,
    send: (entry) => sendLabels(client, entry, settings.readReader()),
    onSent: (entry, example) => takeConfirmed({ queries, outbox }, entry, example),
    onRefused: (entry, error) => tellRefusal({ queries, outbox, acts, live }, entry, error),
  });
  const live = createLive({
    queries,
    outbox,
    windowId: borders.windowId,
    open: (signal) => client.listen('events.stream', {}, signal),
    readExample: (typeId, exampleId) =>
      client.call('examples.get', { params: { decision_type_id: typeId, example_id: exampleId } }),
    lead: borders.lead,
  });
  const acts = createActs({
    journal: borders.journal,
    outbox,
    queries,
    call: async (name, input) => {
      const output = await client.call(name, input);
      await invalidate(queries, findStale(name, input));
      return output;
    },
  });
  return {
    client,
    session,
    queries,
    live,
    health,
    outbox,
    acts,
    ui: createUiStore(),
    drafts: createDraftStore(borders.kept),
    settings,
    commands: createCommandRegistry(),
    tabName: readTabName(borders.storage),
  };
}
