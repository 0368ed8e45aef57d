/** Looks at the service as an operator would, and sends word of what begins and what ends. */
import { setTimeout as wait } from 'node:timers/promises';
import { nextTurn } from '../../../door/turns.ts';
import type { Analyses } from '../../analysis/analysis.ts';
import { type AlertReceiver, WaitingAlerts } from '../../connections/alert-receiver.ts';
import { CallError } from '../../connections/checked-post.ts';
import type { Alert } from '../../contract/upkeep/upkeep.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../process/clock.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { findDriftOfType } from '../deciding/drift.ts';
import { readPolicy } from '../policies/policies.ts';
import type { PromiseChecks } from '../policies/promises.ts';

/** Waits before the second and each further try; the last one is repeated until the receiver is back. */
const retryDelaysMs = [1_000, 10_000, 60_000] as const;
/** Messages that may wait while the receiver does not answer: months of them. */
const maxWaiting = 1_000;
/** Tries that fail in a row before the receiver counts as down: one alert alone may be what it cannot take. */
const triesOfDown = 2;
/** Inputs are compared with the examples again after this, where there were decisions meanwhile. */
const driftLookMs = 3_600_000;
const megabyte = 1024 ** 2;

type Finding = Pick<Alert, 'kind' | 'decision_type' | 'message'> & { organisationId: string | null };
/** A state that lasts, since when; `organisationId` is null for the service as a whole. */
export type FiringAlert = Finding & { since: string };
type Sent = { alert: Alert; organisationId: string | null; at: string; tries: number; error: string | null };
type AlertDeps = Foundation & { analyses: Analyses; promiseChecks: PromiseChecks; alertReceiver: AlertReceiver };

/** States that last, and alerts to be sent: a state that lasts over a restart is sent again, unless it still waits. */
export class Alerts {
  readonly #deps: AlertDeps;
  readonly #firing = new Map<string, FiringAlert>();
  readonly #drift = new Map<string, { decisions: number; lookedAtMs: number; message: string | null }>();
  readonly #closing = new AbortController();
  readonly #waiting: WaitingAlerts;
  #sending: Promise<void> | null = null;
  #looking: Promise<void> | null = null;
  #last: Sent | null = null;

  constructor(deps: AlertDeps) {
    this.#deps = deps;
    this.#waiting = new WaitingAlerts(deps.options.dataDir, deps.log);
  }

  /** The last alert that was sent, or was to be; null since the start. */
  get last(): Sent | null {
    return this.#last;
  }

  listFiring(): FiringAlert[] {
    return [...this.#firing.values()];
  }

  /** Looks at everything, one decision type a turn, and sends what has changed since the last look. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    this.#startSending();
    const found = new Map<string, Finding>();
    for await (const finding of this.#find()) found.set(`${finding.kind} ${finding.decision_type}`, finding);
    for (const [key, finding] of found) {
      const known = this.#firing.get(key);
      const firing = { ...finding, since: known?.since ?? isoTime(this.#deps.clock.now()) };
      this.#firing.set(key, firing);
      if (known === undefined) this.#enqueue(firing, 'firing');
    }
    for (const [key, firing] of this.#firing) {
      if (found.has(key)) continue;
      this.#firing.delete(key);
      this.#enqueue({ ...firing, message: `This is over: “${firing.message}”` }, 'resolved');
    }
  }

  /** Sends in one try that nothing is wrong; returns why it did not arrive, or null. */
  async test(): Promise<string | null> {
    const message = 'This is a test: alerts of Decision Workbench arrive here.';
    const since = isoTime(this.#deps.clock.now());
    const of = { kind: 'test', decision_type: null, organisationId: null } as const;
    const alert = this.#toAlert({ ...of, message, since }, 'firing');
    return this.#note(alert, null, 1, (await this.#tryOnce(alert))?.message ?? null).error;
  }

  /** Resolves once nothing waits to be sent. */
  async whenSent(): Promise<void> {
    await this.#sending;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#deps.alertReceiver.close();
    await this.#sending;
  }

  async *#find(): AsyncGenerator<Finding> {
    yield* this.#findOfService();
    const { store, runtime } = this.#deps;
    for (const { id, typeId, organisationId } of store.deployments.listHosted()) {
      await nextTurn();
      const type = store.decisionTypes.get(typeId, organisationId);
      if (type === null) continue;
      const of = { decision_type: type.name, organisationId };
      const reason = runtime.deployed.findUnavailability(id);
      if (reason !== null)
        yield { ...of, kind: 'policy', message: `The policy of “${type.name}” is stopped. ${reason}` };
      const promise = this.#findBrokenPromise(type, id);
      if (promise !== null) yield { ...of, kind: 'promise', message: promise };
      const drift = await this.#findDrift(type);
      if (drift !== null) yield { ...of, kind: 'drift', message: drift };
    }
  }

  *#findOfService(): Generator<Finding> {
    const { folderWatch, caretaker, options } = this.#deps;
    const of = { decision_type: null, organisationId: null };
    const freeMb = Math.floor((folderWatch.readFreeBytes() ?? Number.POSITIVE_INFINITY) / megabyte);
    if (freeMb < options.alertFreeMb) {
      const limit = options.alertFreeMb.toLocaleString('en');
      const message = `The disk of the data folder is nearly full: ${freeMb.toLocaleString('en')} MB are free, fewer than ${limit}.`;
      yield { ...of, kind: 'disk', message };
    }
    const { backupFault } = caretaker;
    if (backupFault !== null) yield { ...of, kind: 'backup', message: `The last backup failed. ${backupFault}` };
  }

  #findBrokenPromise(type: DecisionTypeRecord, policyId: string): string | null {
    const { store, promiseChecks } = this.#deps;
    if (store.promises.findDeclared(type.id) === null) return null;
    const standing = promiseChecks.readStanding(type, readPolicy(store, policyId));
    return standing?.state === 'not_kept' ? standing.sentence : null;
  }

  async #findDrift(type: DecisionTypeRecord): Promise<string | null> {
    const { store, clock, serviceMetrics } = this.#deps;
    const known = this.#drift.get(type.id) ?? { decisions: 0, lookedAtMs: Number.NEGATIVE_INFINITY, message: null };
    const { seq } = store.accounts.getOrganisation(type.organisationId);
    const decisions = serviceMetrics.sumDecisions(seq, type.name);
    if (decisions === known.decisions || clock.monotonic() - known.lookedAtMs < driftLookMs) return known.message;
    const state = await findDriftOfType(this.#deps, type);
    // A search that takes longer is read at the next look.
    if (!state.known) return known.message;
    const { items, unfamiliar } = state.known.result;
    const sentences = [...items.map(({ sentence }) => sentence), ...(unfamiliar ? [unfamiliar.sentence] : [])];
    const [first] = sentences;
    const more = sentences.length > 1 ? ` ${sentences.length - 1} more under Monitor.` : '';
    const message = first === undefined ? null : `Inputs of “${type.name}” differ from its examples. ${first}${more}`;
    this.#drift.set(type.id, { decisions, lookedAtMs: clock.monotonic(), message });
    return message;
  }

  #toAlert({ kind, decision_type, message, since }: FiringAlert, state: Alert['state']): Alert {
    return { id: this.#deps.newId(), kind, state, decision_type, message, since };
  }

  #enqueue(firing: FiringAlert, state: Alert['state']): void {
    const { alertReceiver, log } = this.#deps;
    const alert = this.#toAlert(firing, state);
    log.warn({ alert }, 'an alert');
    if (alertReceiver.describe() === null) return;
    const { organisationId } = firing;
    const before = this.#waiting.all.findLast(
      ({ alert: { kind, decision_type } }) => kind === alert.kind && decision_type === alert.decision_type,
    );
    if (before?.alert.state === state) return;
    if (this.#waiting.all.length >= maxWaiting) {
      this.#note(alert, organisationId, 0, `${maxWaiting} earlier alerts wait for the receiver.`);
      return;
    }
    this.#waiting.set([...this.#waiting.all, { alert, organisationId, tries: 0 }]);
    this.#startSending();
  }

  #startSending(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  /** Sends what waits, oldest first, until all has arrived; never rejects. */
  async #sendAll(): Promise<void> {
    const { signal } = this.#closing;
    for (let failed = 0; this.#waiting.all.length > 0 && !signal.aborted; ) {
      if (this.#deps.alertReceiver.describe() === null) {
        this.#waiting.set([]);
        return;
      }
      const isDown = await this.#sendOnce();
      if (!isDown) {
        failed = 0;
        continue;
      }
      const delayMs = retryDelaysMs[Math.min(failed, retryDelaysMs.length - 1)];
      failed += 1;
      await wait(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Tries each alert that waits, until the receiver counts as down; returns whether one has to be sent again. */
  async #sendOnce(): Promise<boolean> {
    let failures = 0;
    for (const { alert, organisationId, tries } of this.#waiting.all) {
      if (failures === triesOfDown || this.#closing.signal.aborted) break;
      const fault = await this.#tryOnce(alert);
      this.#note(alert, organisationId, tries + 1, fault?.message ?? null);
      const isDone = !fault?.isRetryable;
      if (!isDone) failures += 1;
      this.#waiting.set(
        this.#waiting.all.flatMap((each) =>
          each.alert.id !== alert.id ? each : isDone ? [] : { ...each, tries: tries + 1 },
        ),
      );
    }
    return failures > 0;
  }

  async #tryOnce(alert: Alert): Promise<Pick<CallError, 'message' | 'isRetryable'> | null> {
    try {
      await this.#deps.alertReceiver.send(alert);
      return null;
    } catch (error) {
      if (error instanceof CallError) return error;
      this.#deps.log.error({ err: error }, 'an alert could not be sent');
      return { message: 'The log of the program says why.', isRetryable: false };
    }
  }

  #note(alert: Alert, organisationId: string | null, tries: number, error: string | null): Sent {
    const sent = { alert, organisationId, at: isoTime(this.#deps.clock.now()), tries, error };
    this.#last = sent;
    if (error !== null) this.#deps.log.error({ alert, tries, error }, 'an alert did not arrive');
    return sent;
  }
}
