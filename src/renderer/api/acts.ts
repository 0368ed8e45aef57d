/** What a person did with examples, and how it is taken back: without limit, also after a reload. */
import type { QueryClient } from '@tanstack/react-query';
import { createStore } from 'zustand/vanilla';
import type { Example, ExampleInput } from '../../server/contract/examples.ts';
import type { InputOf, OperationName, OutputOf } from '../../server/contract/operations.ts';
import { invalidate, staleByLabels } from './changes.ts';
import { ApiError } from './client.ts';
import { type Act, type Journal, type LabelPatch, noType, type UndoStep } from './journal.ts';
import { patchCachedExample, patchCachedStats } from './labels.ts';
import type { Outbox } from './outbox.ts';

export type ActsState = {
  done: readonly Act[];
  undone: readonly Act[];
  /** The example whose labels were taken back, or put again, last; its reader is taken there. */
  turned: { exampleId: string } | null;
};

export type ActsPorts = {
  journal: Journal;
  outbox: Outbox;
  queries: QueryClient;
  call<N extends OperationName>(name: N, input: InputOf<N>): Promise<OutputOf<N>>;
};

type Bulk = InputOf<'examples.bulk'>['body'];
/** An example as far as its labels go; what a change does not touch may be left out. */
type Labelled = Pick<Example, 'id' | 'expected_decision'> &
  Partial<Pick<Example, 'reviewed' | 'reason_codes' | 'status'>>;
/** The example that a step was about, where it was one; its reader is taken there. */
export type Undone = { title: string; exampleId: string | null };

const maxIdsPerCall = 10_000;
const countDelayMs = 1_500;

function toInput(row: Example): ExampleInput {
  return {
    input: row.input_payload as ExampleInput['input'],
    decision: row.expected_decision,
    reason_codes: row.reason_codes,
  };
}

/** Picks from an example what a patch is about to change. */
function readBefore(example: Labelled, patch: LabelPatch): LabelPatch {
  return Object.fromEntries(Object.keys(patch).map((key) => [key, example[key as keyof LabelPatch]])) as LabelPatch;
}

/** Adds deleted rows again, where the server has forgotten the deletion. */
async function addAgain(call: ActsPorts['call'], typeId: string, rows: readonly ExampleInput[]): Promise<void> {
  for (let at = 0; at < rows.length; at += maxIdsPerCall) {
    const examples = rows.slice(at, at + maxIdsPerCall) as InputOf<'examples.create'>['body']['examples'];
    await call('examples.create', { params: { decision_type_id: typeId }, body: { examples } });
  }
}

/** Removes what was added. */
async function removeAdded(call: ActsPorts['call'], typeId: string, exampleIds: readonly string[]): Promise<void> {
  for (let at = 0; at < exampleIds.length; at += maxIdsPerCall) {
    const ids = exampleIds.slice(at, at + maxIdsPerCall);
    await call('examples.bulk', { params: { decision_type_id: typeId }, body: { ids, action: 'delete' } });
  }
}

/** Takes a step back that the server has to. */
async function takeBackThere(
  call: ActsPorts['call'],
  typeId: string,
  step: Exclude<UndoStep, { kind: 'label' }>,
): Promise<void> {
  if (step.kind === 'type') {
    await call('decision_types.restore', { params: { decision_type_id: step.deletedId } });
  } else if (step.kind === 'call') {
    // What `done` has noted fits its operation; the journal gives it back as it was.
    await call(step.name, step.input as InputOf<OperationName>);
  } else if (step.kind === 'added') await removeAdded(call, typeId, step.exampleIds);
  else {
    try {
      await call('examples.undo', { params: { decision_type_id: typeId }, body: { undo_token: step.token } });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'conflict') || step.rows.length === 0) throw error;
      await addAgain(call, typeId, step.rows);
    }
  }
}

/** Whether a refusal says that a step can never be taken back: what it is about is gone, or has changed since. */
function isFinal(step: UndoStep, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const finalCodes = ['not_found', 'conflict', 'validation_error'];
  return error.code === 'decision_type_not_found' || (step.kind === 'call' && finalCodes.includes(error.code));
}

/** The acts themselves: in memory and, so that they outlive the window, in the journal. */
function createActList(journal: Journal) {
  const store = createStore<ActsState>()(() => ({ done: [], undone: [], turned: null }));

  /** Acts that the server has not answered yet: whether it does them. */
  const underWay = new Map<string, Promise<boolean>>();
  const add = (typeId: string, title: string, step: UndoStep): Act => {
    const act: Act = { key: crypto.randomUUID(), typeId, title, at: Date.now(), step };
    store.setState(({ done, undone }) => ({
      done: [...done, act],
      undone: undone.filter((each) => each.typeId !== typeId),
    }));
    return act;
  };
  const record = (typeId: string, title: string, step: UndoStep): Act => {
    const act = add(typeId, title, step);
    void journal.putAct(act);
    return act;
  };
  const drop = (from: 'done' | 'undone', { key }: Act) =>
    store.setState((state) => ({ [from]: state[from].filter((each) => each.key !== key) }) as Partial<ActsState>);
  /** Notes an act in its place among the others while the server works on it; `answer` says how it is taken back. */
  const begin = (typeId: string, title: string, step: UndoStep, answer: Promise<UndoStep>): void => {
    const begun = add(typeId, title, step);
    const isDone = answer.then(
      (known) => {
        const act = { ...begun, step: known };
        store.setState(({ done }) => ({ done: done.map((each) => (each.key === act.key ? act : each)) }));
        void journal.putAct(act);
        return true;
      },
      () => {
        drop('done', begun);
        return false;
      },
    );
    underWay.set(
      begun.key,
      isDone.finally(() => underWay.delete(begun.key)),
    );
  };
  /** Reads the acts of earlier windows. */
  const load = async () => {
    const { acts } = await journal.load();
    acts.sort((a, b) => a.at - b.at);
    store.setState(({ done }) => ({
      done: [...acts.filter(({ key }) => !done.some((d) => d.key === key)), ...done],
    }));
  };
  return { store, record, begin, drop, load, isDone: ({ key }: Act) => underWay.get(key) };
}

/** Changes the labels of one example: in what is shown and counted at once, on the server by the outbox. */
function createLabelling({ outbox, queries }: Pick<ActsPorts, 'outbox' | 'queries'>) {
  let counting: ReturnType<typeof setTimeout> | undefined;

  /** Reads again what only the server can count, once the labels rest and are there. */
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

/** Creates the acts of this window. */
export function createActs({ journal, outbox, queries, call }: ActsPorts) {
  const { store, record, begin, drop, load, isDone } = createActList(journal);
  const apply = createLabelling({ outbox, queries });

  const takeBack = async ({ typeId, step }: Act): Promise<UndoStep> => {
    if (step.kind === 'label') {
      apply(typeId, step.exampleId, step.before, step.after);
      return { ...step, before: step.after, after: step.before };
    }
    await outbox.settled(typeId);
    await takeBackThere(call, typeId, step);
    return step;
  };

  const turn = async (from: 'done' | 'undone', typeId: string): Promise<Undone | null> => {
    const act = store.getState()[from].findLast((each) => each.typeId === typeId);
    if (!act) return null;
    const underWay = isDone(act);
    if (underWay) return (await underWay) ? turn(from, typeId) : null;
    drop(from, act);
    try {
      const step = await takeBack(act);
      const turned = { ...act, step };
      const canTurnBack = step.kind === 'label';
      if (from === 'done') {
        void journal.removeAct(act.key);
        if (canTurnBack) store.setState(({ undone }) => ({ undone: [...undone, turned] }));
      } else {
        void journal.putAct(turned);
        store.setState(({ done }) => ({ done: [...done, turned] }));
      }
      const exampleId = step.kind === 'label' ? step.exampleId : null;
      if (exampleId !== null) store.setState({ turned: { exampleId } });
      return { title: act.title, exampleId };
    } catch (error) {
      // What can never be taken back any more would stand before all earlier acts.
      if (isFinal(act.step, error)) void journal.removeAct(act.key);
      else store.setState((state) => ({ [from]: [...state[from], act] }) as Partial<ActsState>);
      throw error;
    }
  };

  return {
    store,
    /** Labels one example. It shows at once; the outbox brings it to the server. */
    label: (typeId: string, example: Labelled, patch: LabelPatch, title: string) => {
      const before = readBefore(example, patch);
      apply(typeId, example.id, patch, before);
      record(typeId, title, { kind: 'label', exampleId: example.id, before, after: patch });
    },
    /** Changes many examples on the server; `rows` are those deleted, as far as they are at hand. */
    bulk: async (typeId: string, body: Bulk, title: string, rows: readonly Example[] = []): Promise<number> => {
      const answer = outbox
        .settled(typeId)
        .then(() => call('examples.bulk', { params: { decision_type_id: typeId }, body }));
      const step = { kind: 'bulk' as const, token: '', rows: rows.map(toInput) };
      begin(
        typeId,
        title,
        step,
        answer.then(({ undo_token }) => ({ ...step, token: undo_token })),
      );
      return (await answer).affected;
    },
    /** Takes note of examples that were added. */
    added: (typeId: string, exampleIds: string[], title: string) =>
      record(typeId, title, { kind: 'added', exampleIds }),
    /** Takes note of an act, with the operation that takes it back. */
    done: <N extends OperationName>(typeId: string, title: string, name: N, input: InputOf<N>) =>
      record(typeId, title, { kind: 'call', name, input }),
    /** Deletes a decision type. */
    deleteType: async (id: string, title: string): Promise<void> => {
      // Noted first: a window that is closed before the answer comes can restore it all the same.
      const act = record(noType, title, { kind: 'type', deletedId: id });
      try {
        await call('decision_types.delete', { params: { decision_type_id: id } });
      } catch (error) {
        drop('done', act);
        void journal.removeAct(act.key);
        throw error;
      }
    },
    /** Takes the newest act of a type back; null where there is none. Rejects with the server's refusal. */
    undo: (typeId: string) => turn('done', typeId),
    /** Does again what was taken back last; null where there is nothing. */
    redo: (typeId: string) => turn('undone', typeId),
    load,
  };
}
export type Acts = ReturnType<typeof createActs>;
