/** What happens is told to those who listen: over a real port, with real clients. */
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WorkbenchEvent } from '../../../src/server/contract/upkeep/upkeep.ts';
import { EventHub, eventLimits } from '../../../src/server/events/event-hub.ts';
import { EventStream } from '../../../src/server/events/event-stream.ts';
import { callerOf, loanExamples, loanType, makeType, openForTest, stoppedClock } from '../workbench.ts';

/** Reads the events of an answer one after the other. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<WorkbenchEvent> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as WorkbenchEvent;
    }
  }
}

/** A workbench on a port of its own, and windows that listen to it. */
async function open() {
  const workbench = await openForTest();
  const url = await workbench.app.listen({ port: 0, host: '127.0.0.1' });
  const listen = async (authorization = `Bearer ${workbench.token}`) => {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const answer = await fetch(`${url}/api/v1/events`, { headers: { authorization }, signal: leaving.signal });
    if (answer.body === null) throw new Error('the stream has no body');
    const events = readEvents(answer.body);
    /** The next event that fits. */
    const next = async (fits: Partial<WorkbenchEvent>): Promise<WorkbenchEvent> => {
      for (;;) {
        const { value, done } = await events.next();
        if (done) throw new Error(`the stream ended before ${JSON.stringify(fits)}`);
        if (Object.entries(fits).every(([key, wanted]) => value[key as keyof WorkbenchEvent] === wanted)) return value;
      }
    };
    return { answer, events, next, leave: () => leaving.abort() };
  };
  const { host } = new URL(url);
  const call = callerOf(workbench.app, { host, authorization: `Bearer ${workbench.token}` });
  return { ...workbench, host, url, call, listen };
}

describe('a window that listens', () => {
  it('[EVT-1] hears from every other window what was changed, and knows its own calls by their ids', async () => {
    const { call, listen, app, host } = await open();
    const [first, second] = await Promise.all([listen(), listen()]);
    expect(first.answer.headers.get('content-type')).toBe('text/event-stream');
    expect(first.answer.headers.get('content-disposition')).toBeNull();
    for (const { next } of [first, second]) await next({ event: 'ready' });
    const id = await makeType(call);
    const url = `/api/v1/decision-types/${id}/examples`;
    const { body } = await call('POST', url, { examples: [{ input: { text: 'a' } }] });
    const exampleId: string = body[0].id;
    await call('PATCH', `${url}/${exampleId}`, { expected_decision: 'yes' }, { 'x-request-id': 'window-1 7' });
    for (const { next } of [first, second]) {
      expect(await next({ operation: 'decision_types.create' })).toMatchObject({ decision_type_id: null });
      expect(await next({ operation: 'examples.create' })).toMatchObject({ decision_type_id: id, example_id: null });
      expect(await next({ operation: 'examples.update' })).toEqual({
        event: 'change',
        operation: 'examples.update',
        decision_type_id: id,
        example_id: exampleId,
        request_id: 'window-1 7',
      });
    }
    // What only reads, and what is refused, is told to nobody.
    await call('GET', url);
    await call('PATCH', `${url}/${exampleId}`, { expected_decision: 'perhaps' });
    const strangers = await callerOf(app, { host })('GET', '/api/v1/events');
    expect([strangers.status, strangers.body.error.code]).toEqual([401, 'unauthorized']);
    await call('DELETE', `${url}/${exampleId}`);
    expect((await second.events.next()).value).toMatchObject({ operation: 'examples.delete' });
  });

  it('[EVT-2] hears of a training from its start to its end, and of decisions in groups', async () => {
    const { call, listen } = await open();
    const id = await makeType(call, loanType);
    const url = `/api/v1/decision-types/${id}`;
    await call('POST', `${url}/examples`, { examples: loanExamples(40) });
    await call('PUT', `${url}/promise`, { target_error: 0.5 });
    const [window, other] = [await listen(), await listen()];
    const started = await call('POST', `${url}/train`, { tune_hyperparams: false });
    expect(started.status).toBe(202);
    const { policy_id } = started.body;
    const seen: string[] = [];
    for (let status = 'training'; status === 'training'; seen.push(status)) {
      await window.next({ event: 'job', job: 'training', policy_id });
      status = (await call('GET', `${url}/policies/${policy_id}/progress`)).body.status;
    }
    expect(seen.at(-1)).toBe('deployed');
    expect(seen.length).toBeGreaterThan(2);
    const of = { decision_type_id: id, policy_id };
    const [release] = (await call('GET', `${url}/releases`)).body.items;
    expect(await other.next({ event: 'release' })).toEqual({
      event: 'release',
      ...of,
      release: 1,
      digest: release.digest,
    });
    expect(await other.next({ event: 'promise' })).toEqual({
      event: 'promise',
      ...of,
      state: 'kept',
      held_back: false,
    });

    const decide = { decision_type: loanType.name, input: { amount: 60_000, note: 'A bridge loan.' } };
    const answers = await Promise.all(Array.from({ length: 40 }, () => call('POST', '/api/v1/decide', decide)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const groups: number[] = [];
    while (groups.reduce((sum, added) => sum + added, 0) < 40) {
      const event = await window.next({ event: 'logs', decision_type_id: id });
      if (event.event === 'logs') groups.push(event.added);
    }
    expect(groups.reduce((sum, added) => sum + added, 0)).toBe(40);
    expect(groups.length).toBeLessThan(answers.length);
  });

  it('[EVT-3] is told when it comes again that nothing from before is known, and that a place is free again', async () => {
    const { call, listen, deps, url } = await open();
    const listenWithNewKey = async () => {
      const { key } = (await call('POST', '/api/v1/api-keys', { name: 'listener' })).body;
      const opened = Array.from({ length: eventLimits.streamsPerCaller }, () => listen(`Bearer ${key}`));
      return { key, windows: await Promise.all(opened) };
    };
    const { key, windows } = await listenWithNewKey();
    const refused = await fetch(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${key}` } });
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'unavailable']);
    windows.push(await listen());
    for (let others = 1; others < eventLimits.streams / eventLimits.streamsPerCaller; others++) {
      windows.push(...(await listenWithNewKey()).windows);
    }
    const statuses = windows.map(({ answer }) => answer.status);
    expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([eventLimits.streams, 503]);
    for (const window of windows) window.leave();
    await expect.poll(() => deps.events.isHeard).toBe(false);
    const again = await listen();
    expect((await again.events.next()).value).toEqual({ event: 'ready' });
  });

  it('[EVT-7] hears nothing more once its key is revoked, and the others hear on', async () => {
    const { call, listen } = await open();
    const { key, id } = (await call('POST', '/api/v1/api-keys', { name: 'listener' })).body;
    const [revoked, other] = [await listen(`Bearer ${key}`), await listen()];
    for (const { next } of [revoked, other]) await next({ event: 'ready' });
    expect((await call('DELETE', `/api/v1/api-keys/${id}`)).status).toBe(204);
    const typeId = await makeType(call);
    expect((await revoked.events.next()).done).toBe(true);
    await call('DELETE', `/api/v1/decision-types/${typeId}`);
    await other.next({ event: 'change', operation: 'decision_types.create' });
  });

  it('[EVT-4] hears nothing of another organisation', async () => {
    const clock = stoppedClock();
    const hub = new EventHub(clock.monotonic);
    onTestFinished(() => hub.close());
    const ours = hub.open('ours', 'key');
    hub.tell('theirs', { event: 'logs', decision_type_id: 'a', added: 1 });
    hub.tell('ours', { event: 'logs', decision_type_id: 'b', added: 1 });
    const group: Buffer = await new Promise((resolve) => ours.once('data', resolve));
    expect(String(group)).toContain('event: ready\n');
    expect(String(group)).toContain('"decision_type_id":"b"');
    expect(String(group)).not.toContain('"decision_type_id":"a"');
  });

  it('[EVT-5] ends at once with the server, which does not wait for it', async () => {
    const { listen, close } = await open();
    const window = await listen();
    await window.next({ event: 'ready' });
    await close();
    // Where the server waits for it, it breaks the stream off after three seconds, which is an error here.
    expect((await window.events.next()).done).toBe(true);
  });
});

describe('a reader that is too slow', () => {
  /** A reader that takes its first piece and nothing more until it is let go on. */
  function stall(stream: EventStream) {
    const taken: string[] = [];
    let goOn: () => void = () => undefined;
    const reader = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        taken.push(String(chunk));
        goOn = done;
      },
    });
    stream.pipe(reader);
    return { taken, goOn: () => goOn() };
  }
  const change = (n: number): WorkbenchEvent => ({
    event: 'change',
    operation: 'examples.update',
    decision_type_id: null,
    example_id: null,
    request_id: String(n),
  });

  it('[EVT-6] is told to read everything again where more happened than is kept for it', async () => {
    const clock = stoppedClock();
    const stream = new EventStream(clock.monotonic);
    const { taken, goOn } = stall(stream);
    stream.tell({ event: 'ready' });
    await expect.poll(() => taken.length).toBe(1);
    for (let n = 0; n < 10_000; n++) stream.tell(change(n));
    expect(stream.readableLength).toBe(0);
    expect(taken.length).toBe(1);
    clock.move(250);
    goOn();
    await expect.poll(() => taken.length).toBe(2);
    expect(taken[1]).toBe('event: reset\ndata: {"event":"reset"}\n\n');
    stream.destroy();
  });

  it('[EVT-6] loses its stream after half a minute, and others hear on', async () => {
    const clock = stoppedClock();
    const hub = new EventHub(clock.monotonic);
    onTestFinished(() => hub.close());
    const [slow, quick] = [hub.open('ours', 'key'), hub.open('ours', 'key')];
    const { taken } = stall(slow);
    const heard: string[] = [];
    quick.on('data', (chunk) => heard.push(String(chunk)));
    await expect.poll(() => [taken.length, heard.length]).toEqual([1, 1]);
    clock.move(eventLimits.maxStallMs - 1);
    hub.checkListeners();
    expect([slow.destroyed, quick.destroyed]).toEqual([false, false]);
    // The quick one heard in between that the stream is alive.
    await expect.poll(() => heard[1]).toBe(': alive\n\n');
    clock.move(1);
    hub.checkListeners();
    expect([slow.destroyed, quick.destroyed]).toEqual([true, false]);
    hub.tell('ours', change(1));
    await expect.poll(() => heard[2]).toContain('"request_id":"1"');
    clock.move(eventLimits.maxAgeMs);
    hub.checkListeners();
    await expect.poll(() => [quick.readableEnded, hub.isHeard]).toEqual([true, false]);
  });
});
