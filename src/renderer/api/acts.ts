/** A person's acts on examples, undone and redone: without limit, also after a reload. */
import type { QueryClient } from '@tanstack/react-query';
import { createStore } from 'zustand/vanilla';
import { limits } from '../../engine/limits.ts';
import { ApiError } from '../../server/contract/client.ts';
import type { Example } from '../../server/contract/examples/examples.ts';
import type { InputOf, OperationName, OutputOf } from '../../server/contract/operations.ts';
import { invalidate, staleByLabels } from './changes.ts';
import {
  type Act,
  type ActStep,
  type CallsBack,
  type Journal,
  type LabelPatch,
  noType,
  type ServerCall,
} from './journal.ts';
import { patchCachedExample, patchCachedStats } from './labels.ts';
import type { Outbox } from './outbox.ts';

type ActsState = {
  done: readonly Act[];
  undone: readonly Act[];
  /** The example whose labels were taken back, or put again, last; its reader is taken there. */
  turned: { exampleId: string } | null;
  /** The act being undone or redone: until the server has answered, it is in neither list. */
  turns: readonly Promise<Act | null>[];
};

type ActsPorts = {
  journal: Journal;
  outbox: Outbox;
  queries: QueryClient;
  call<N extends OperationName>(name: N, input: InputOf<N>): Promise<OutputOf<N>>;
};

type Bulk = InputOf<'examples.bulk'>['body'];
/** An example as far as its labels go; what a change does not touch may be left out. */
type Labelled = Pick<Example, 'id' | 'expected_decision'> &
  Partial<Pick<Example, 'reviewed' | 'must' | 'reason_codes' | 'status' | 'note'>>;

const countDelayMs = 1_500;

function readBefore(example: Labelled, patch: LabelPatch): LabelPatch {
  const { second_reading, ...labels } = patch;
  const before = Object.keys(labels).map((key) => [key, example[key as keyof typeof labels]]);
  return { ...Object.fromEntries(before), ...(second_reading && { second_reading }) };
}

function toDeletions(typeId: string, exampleIds: readonly string[]): ServerCall[] {
  const params = { decision_type_id: typeId };
  const calls: ServerCall[] = [];
  for (let at = 0; at < exampleIds.length; at += limits.maxExamplesPerCall) {
    const ids = exampleIds.slice(at, at + limits.maxExamplesPerCall);
    calls.push({ name: 'examples.bulk', input: { params, body: { ids, action: 'delete' } } });
  }
  return calls;
}

/** The call that takes another one back by the token in its answer; none where the answer has no token. */
function toUndoCalls({ name, input }: ServerCall, answer: unknown): ServerCall[] {
  const token = (answer as { undo_token?: string | null } | null)?.undo_token;
  if (!token || !('params' in input) || !('decision_type_id' in input.params)) return [];
  const { decision_type_id } = input.params;
  const undo = { params: { decision_type_id }, body: { undo_token: token } };
  return [{ name: name === 'examples.bulk' ? 'examples.undo' : 'options.undo', input: undo }];
}

/** Whether a refusal says that an act can never be turned any more: what it is about is gone, or has changed since. */
function isFinal({ step }: Act, error: unknown): boolean {
  const finalCodes = ['not_found', 'decision_type_not_found', 'conflict', 'validation_error'];
  return step.kind === 'calls' && error instanceof ApiError && finalCodes.includes(error.code);
}

/** The acts themselves: in memory and, so that they outlive the window, in the journal. */
function createActList(journal: Journal) {
  const store = createStore<ActsState>()(() => ({ done: [], undone: [], turned: null, turns: [] }));

  /** Acts that the server has not answered yet: whether it does them. */
  const underWay = new Map<string, Promise<boolean>>();
  const add = (typeId: string, title: string, exampleCount: number, step: ActStep): Act => {
    const act: Act = { key: crypto.randomUUID(), typeId, title, exampleCount, at: Date.now(), step };
    store.setState(({ done, undone }) => ({
      done: [...done, act],
      undone: undone.filter((each) => each.typeId !== typeId),
    }));
    return act;
  };
  const record = (typeId: string, title: string, exampleCount: number, step: ActStep): Act => {
    const act = add(typeId, title, exampleCount, step);
    void journal.putAct(act);
    return act;
  };
  const drop = (from: 'done' | 'undone', { key }: Act) =>
    store.setState((state) => ({ [from]: state[from].filter((each) => each.key !== key) }) as Partial<ActsState>);
  /** Notes an act in its place among the others while the server works on it; `answer` says how it is taken back. */
  const begin = (begun: Act, answer: Promise<Pick<Act, 'step' | 'exampleCount' | 'heldOut'>>): Promise<Act> => {
    const known = answer.then((found) => {
      const act = { ...begun, ...found };
      store.setState(({ done }) => ({ done: done.map((each) => (each.key === act.key ? act : each)) }));
      void journal.putAct(act);
      return act;
    });
    const isDone = known.then(
      () => true,
      () => {
        drop('done', begun);
        return false;
      },
    );
    underWay.set(
      begun.key,
      isDone.finally(() => underWay.delete(begun.key)),
    );
    return known;
  };
  /** Takes note that the server has refused a label: it is no act, and its row is the one to work on. */
  const refused = (exampleId: string) => {
    const isIt = ({ step }: Act) => step.kind === 'label' && step.exampleId === exampleId;
    const act = store.getState().done.findLast(isIt);
    if (act) drop('done', act);
    if (act) void journal.removeAct(act.key);
    store.setState({ turned: { exampleId } });
  };
  const load = async () => {
    const { acts } = await journal.load();
    acts.sort((a, b) => a.at - b.at);
    store.setState(({ done }) => ({
      done: [...acts.filter(({ key }) => !done.some((d) => d.key === key)), ...done],
    }));
  };
  /** Notes a turn until the server has answered. */
  const noteTurn = async (turned: Promise<Act | null>) => {
    store.setState(({ turns }) => ({ turns: [...turns, turned] }));
    try {
      return await turned;
    } finally {
      store.setState(({ turns }) => ({ turns: turns.filter((each) => each !== turned) }));
    }
  };
  return { store, add, record, begin, drop, refused, load, noteTurn, isDone: ({ key }: Act) => underWay.get(key) };
}

/** Changes the labels of one example: in what is shown and counted at once, on the server by the outbox. */
function createLabelling({ outbox, queries }: Pick<ActsPorts, 'outbox' | 'queries'>) {
  let counting: ReturnType<typeof setTimeout> | undefined;

  /** Reads counts that only the server knows again, once labels rest and have arrived. */
  const countAgain = async (typeId: string) => {
    await outbox.settled(typeId);
    await invalidate(queries, { names: staleByLabels, typeId });
  };

  return (typeId: string, exampleId: string, patch: LabelPatch, before: LabelPatch) => {
    patchCachedStats(queries, typeId, before, patch);
    patchCachedExample(queries, exampleId, patch);
    outbox.put(typeId, exampleId, patch, before.expected_decision);
    clearTimeout(counting);
    counting = setTimeout(() => void countAgain(typeId), countDelayMs);
  };
}

type ActList = ReturnType<typeof createActList>;

/** Turns acts: takes one back that is done, or does one again that was taken back. */
function createTurning({ journal, outbox, call }: ActsPorts, list: ActList, apply: ReturnType<typeof createLabelling>) {
  const { store, drop, isDone } = list;

  /** Takes an act back, or does it again; answers how it is turned from then on. */
  const carryOut = async ({ typeId, step }: Act, from: 'done' | 'undone'): Promise<ActStep> => {
    if (step.kind === 'label') {
      const [patch, before] = from === 'done' ? [step.before, step.after] : [step.after, step.before];
      apply(typeId, step.exampleId, patch, before);
      return step;
    }
    await outbox.settled(typeId);
    const [way, back] = from === 'done' ? (['undo', 'redo'] as const) : (['redo', 'undo'] as const);
    const found: ServerCall[] = [];
    for (const each of step[way]) {
      const answer = await call(each.name, each.input as InputOf<OperationName>);
      found.push(...toUndoCalls(each, answer));
    }
    return found.length === 0 ? step : { ...step, [back]: found };
  };

  const turnOne = async (from: 'done' | 'undone', typeId: string, key?: string): Promise<Act | null> => {
    const act = store.getState()[from].findLast((each) => each.typeId === typeId && each.key === (key ?? each.key));
    if (!act) return null;
    const underWay = isDone(act);
    if (underWay) return (await underWay) ? turnOne(from, typeId, key) : null;
    drop(from, act);
    try {
      const turned = { ...act, step: await carryOut(act, from) };
      const to = from === 'done' ? 'undone' : 'done';
      store.setState((state) => ({ [to]: [...state[to], turned] }) as Partial<ActsState>);
      void (from === 'done' ? journal.removeAct(act.key) : journal.putAct(turned));
      if (turned.step.kind === 'label') store.setState({ turned: { exampleId: turned.step.exampleId } });
      return turned;
    } catch (error) {
      // An act that can never be undone would block all earlier ones.
      if (isFinal(act, error)) void journal.removeAct(act.key);
      else store.setState((state) => ({ [from]: [...state[from], act] }) as Partial<ActsState>);
      throw error;
    }
  };
  return (...which: Parameters<typeof turnOne>) => list.noteTurn(turnOne(...which));
}

/** Creates the acts of this window. */
export function createActs(ports: ActsPorts) {
  const { journal, outbox, call } = ports;
  const list = createActList(journal);
  const { store, add, record, begin, drop, load } = list;
  const apply = createLabelling(ports);
  const turn = createTurning(ports, list, apply);

  return {
    store,
    /** Waits for the undo or redo in progress. */
    untilTurned: async () => void (await Promise.allSettled(store.getState().turns)),
    /** Labels one example. It shows at once; the outbox brings it to the server. */
    label: (typeId: string, example: Labelled, patch: LabelPatch, title: string) => {
      const before = readBefore(example, patch);
      apply(typeId, example.id, patch, before);
      record(typeId, title, 1, { kind: 'label', exampleId: example.id, before, after: patch });
    },
    refused: list.refused,
    /** Changes `exampleCount` examples by one call or several, all or none; the act knows how many those were. */
    bulk: (typeId: string, bodies: readonly Bulk[], title: string, exampleCount: number): Promise<Act> => {
      const params = { decision_type_id: typeId };
      const inputs = bodies.map((body) => ({ params, body }));
      const redo = inputs.map((input): ServerCall => ({ name: 'examples.bulk', input }));
      const carryOutAll = async (): Promise<Pick<Act, 'step' | 'exampleCount' | 'heldOut'>> => {
        await outbox.settled(typeId);
        const undo: ServerCall[] = [];
        let affected = 0;
        let heldOut = 0;
        try {
          for (const input of inputs) {
            const answer = await call('examples.bulk', input);
            affected += answer.affected;
            heldOut += answer.held_out;
            undo.unshift(...toUndoCalls({ name: 'examples.bulk', input }, answer));
          }
        } catch (error) {
          for (const { name, input } of undo) await call(name, input as InputOf<OperationName>);
          throw error;
        }
        return { exampleCount: affected, heldOut, step: { kind: 'calls', undo, redo } };
      };
      return begin(add(typeId, title, exampleCount, { kind: 'calls', undo: [], redo }), carryOutAll());
    },
    /** Takes note of examples that were added. */
    added: (typeId: string, exampleIds: string[], title: string): Act =>
      record(typeId, title, exampleIds.length, { kind: 'calls', undo: toDeletions(typeId, exampleIds), redo: [] }),
    /** Takes note of an act, with the calls that take it back and do it again. */
    done: (typeId: string, title: string, undo: CallsBack, redo: ServerCall, exampleCount = 0): Act =>
      record(typeId, title, exampleCount, { kind: 'calls', undo: [undo].flat(), redo: [redo] }),
    deleteType: async (id: string, title: string): Promise<Act> => {
      const params = { decision_type_id: id };
      const undo: ServerCall = { name: 'decision_types.restore', input: { params } };
      const redo: ServerCall = { name: 'decision_types.delete', input: { params } };
      // Noted first: a window that is closed before the answer comes can restore it all the same.
      const act = record(noType, title, 0, { kind: 'calls', undo: [undo], redo: [redo] });
      try {
        await call(redo.name, redo.input);
        return act;
      } catch (error) {
        drop('done', act);
        void journal.removeAct(act.key);
        throw error;
      }
    },
    /** Takes back an act of the type, the newest where none is named. Rejects with the server's refusal. */
    undo: (typeId: string, key?: string) => turn('done', typeId, key),
    /** Redoes the named act, or the one undone last; null where there is nothing. */
    redo: (typeId: string, key?: string) => turn('undone', typeId, key),
    load,
  };
}
export type Acts = ReturnType<typeof createActs>;
