/** Changes by others and progress in the background, as this window hears of them. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { createParser } from 'eventsource-parser';
import { createStore } from 'zustand/vanilla';
import type { Example } from '../../server/contract/examples/examples.ts';
import { heartbeatMs } from '../../server/contract/heartbeat.ts';
import type { OperationName } from '../../server/contract/operations.ts';
import type { WorkbenchEvent } from '../../server/contract/upkeep/upkeep.ts';
import { findStale, invalidate, type Staleness, staleByJob, staleByLogs, staleByPromise } from './changes.ts';
import { type ExamplePage, patchCachedExample, queueKey } from './labels.ts';
import type { Outbox } from './outbox.ts';

/** A message of the stream: an event, or a heartbeat. */
type Heard = WorkbenchEvent | { event: 'alive' };
type Progress = Extract<WorkbenchEvent, { event: 'progress' }>;
type LiveState = {
  isOpen: boolean;
  /** The changes of many examples under way, by decision type: what is done of each, from 0 to 1. */
  changing: Readonly<Record<string, { share: number; cancellable: boolean }>>;
};

export type LivePorts = {
  queries: QueryClient;
  outbox: Pick<Outbox, 'forget'>;
  /** The prefix of the ids of this window's calls. */
  windowId: string;
  /** Opens the stream of events; rejects where the server refuses it or is not reached. */
  open(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  readExample(typeId: string, exampleId: string): Promise<Example>;
  /** Runs `listen` in one window of the browser at a time: all windows share six connections to a server. */
  lead(listen: () => Promise<void>, signal: AbortSignal): Promise<void>;
};

const retryMs = 2_000;
/** Without a sign for this long the stream counts as gone. */
const maxSilenceMs = heartbeatMs * 2.5;
/** Stale answers are read again at most this often. */
const readIntervalMs = 1_000;

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Heard> {
  let heard: Heard[] = [];
  const parser = createParser({
    onEvent: ({ data }) => heard.push(JSON.parse(data) as WorkbenchEvent),
    onComment: () => heard.push({ event: 'alive' }),
  });
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parser.feed(part.value);
    yield* heard;
    heard = [];
  }
}

/** Marks answers as stale in turns: at once after a pause, and never while the last ones are still being read. */
function createStaleReader(queries: QueryClient) {
  const waiting = new Map<string, Staleness>();
  let isReading = false;
  const read = async () => {
    isReading = true;
    try {
      while (waiting.size > 0) {
        const turn = [...waiting.values()];
        waiting.clear();
        const pause = new Promise((resolve) => setTimeout(resolve, readIntervalMs));
        await Promise.all([pause, ...turn.map((stale) => invalidate(queries, stale))]);
      }
    } finally {
      isReading = false;
    }
  };
  return (stale: Staleness) => {
    waiting.set(JSON.stringify(stale), stale);
    if (!isReading) void read();
  };
}

/** The changes under way after one of them says how far it is. */
function noteProgress({ changing }: LiveState, { decision_type_id: typeId, share, cancellable }: Progress) {
  const { [typeId]: _before, ...others } = changing;
  return { changing: share === null ? others : { ...others, [typeId]: { share, cancellable } } };
}

/** Creates the ear of this window. */
export function createLive(ports: LivePorts) {
  const { queries, outbox, windowId } = ports;
  const store = createStore<LiveState>()(() => ({ isOpen: false, changing: {} }));
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('decision-workbench.events') : null;
  const markStale = createStaleReader(queries);
  let silence: ReturnType<typeof setTimeout> | undefined;
  let hasHeard = false;

  const isInQueue = (exampleId: string) =>
    queries
      .getQueriesData<InfiniteData<ExamplePage>>({ queryKey: [queueKey] })
      .some(([, data]) => data?.pages.some(({ items }) => items.some(({ id }) => id === exampleId)));

  const refresh = async (typeId: string, exampleId: string) => {
    outbox.forget(exampleId);
    if (!isInQueue(exampleId)) return;
    try {
      const { expected_decision, reviewed, must, reason_codes, status } = await ports.readExample(typeId, exampleId);
      patchCachedExample(queries, exampleId, { expected_decision, reviewed, must, reason_codes, status });
    } catch {
      // An example that is gone, or cannot be read now, keeps the labels that were seen of it.
    }
  };

  const hear = (heard: Heard) => {
    clearTimeout(silence);
    silence = setTimeout(() => store.setState({ isOpen: false }), maxSilenceMs);
    store.setState({ isOpen: true });
    const isNews = hasHeard;
    hasHeard = true;
    if (heard.event === 'ready' || heard.event === 'reset') store.setState({ changing: {} });
    if (heard.event === 'progress') store.setState((state) => noteProgress(state, heard));
    if (heard.event === 'reset' || (heard.event === 'ready' && isNews)) void queries.invalidateQueries();
    if (heard.event === 'logs') markStale({ names: staleByLogs, typeId: heard.decision_type_id });
    if (heard.event === 'promise') markStale({ names: staleByPromise, typeId: heard.decision_type_id });
    if (heard.event === 'job') markStale({ names: staleByJob(heard), typeId: heard.decision_type_id });
    if (heard.event !== 'change' || heard.request_id.startsWith(windowId)) return;
    const { decision_type_id: typeId, example_id: exampleId } = heard;
    const params = typeId === null ? {} : { decision_type_id: typeId };
    markStale(findStale(heard.operation as OperationName, { params }));
    if (typeId !== null && exampleId !== null) void refresh(typeId, exampleId);
  };

  /** Hears the stream, again and again, and lets the other windows hear it too. */
  const listen = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        for await (const heard of readEvents(await ports.open(signal))) {
          channel?.postMessage(heard);
          hear(heard);
        }
      } catch {
        // However the stream ended, it is tried again, and until then answers are polled.
        store.setState({ isOpen: false });
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  };

  return {
    /** Whether this window hears of what happens; else it has to ask in intervals. */
    store,
    /** Reads one row again that somebody else has changed: a queue as a whole is never read again under the keys. */
    refresh,
    /** Begins to listen; returns how it ends. */
    start: (): (() => void) => {
      const ending = new AbortController();
      const { signal } = ending;
      if (channel) channel.onmessage = ({ data }: MessageEvent<Heard>) => hear(data);
      // Rejects when it ends while another window leads.
      void ports.lead(() => listen(signal), signal).catch(() => undefined);
      return () => {
        ending.abort();
        clearTimeout(silence);
        if (channel) channel.onmessage = null;
      };
    },
  };
}
export type Live = ReturnType<typeof createLive>;
