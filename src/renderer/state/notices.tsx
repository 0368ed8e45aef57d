import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { noType } from '../api/journal.ts';
import { leavesFocus } from '../commands/key-focus.ts';
import { useWorkbench, type Workbench } from './workbench.ts';

type Act = { title: string; run(): void };
type Notice = {
  kind: 'info' | 'error';
  text: string;
  undo?: () => void;
  act?: Act;
  next?: Act;
  /** Its act: the notice goes with it, once that cannot be turned any more or its type is left. */
  of?: { typeId: string; canTurn(workbench: Workbench): boolean };
};

const infoMs = 6_000;
/** Time to read a message and to reach its button, also with a screen reader or on a busy machine. */
const actMs = 60_000;
const maxKept = 3;

const stays = ({ kind, next }: Notice) => kind === 'error' || next !== undefined;

/** The messages of the status line, the newest last. */
const notices = createStore<{ all: readonly Notice[] }>()(() => ({ all: [] }));

/**
 * Shows a message in the status line, with a button for what can be done about it or, as `undo`, that takes the act
 * back, and one for what comes `next`. An error, and what comes next, stay until they are closed, and stand there again
 * when what came after them has gone.
 */
export function notify(notice: Notice): void {
  notices.setState(({ all }) => ({ all: [...all.filter(stays), notice].slice(-maxKept) }));
  if (!stays(notice)) setTimeout(() => dismiss(notice), notice.undo || notice.act ? actMs : infoMs);
}

/** Says why something failed, in the words of its error. */
export function notifyFailure(error: unknown): void {
  notify({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
}

function dismiss(notice: Notice): void {
  notices.setState(({ all }) => ({ all: all.filter((each) => each !== notice) }));
}

/** Takes the errors of a place away, which nobody can answer elsewhere. */
export function leaveNotices(): void {
  notices.setState(({ all }) => ({ all: all.filter(({ kind }) => kind !== 'error') }));
}

/** Takes every message away. */
export function clearNotices(): void {
  notices.setState({ all: [] });
}

/** The newest message, as a part of the status line: it covers nothing. */
export function NoticeLine({ typeId }: { typeId: string }) {
  const workbench = useWorkbench();
  const all = useStore(notices, (state) => state.all);
  useStore(workbench.acts.store);
  useStore(workbench.drafts);
  const isHere = ({ of }: Notice) =>
    of === undefined || ([typeId, noType].includes(of.typeId) && of.canTurn(workbench));
  const notice = all.findLast(isHere);
  if (notice === undefined) return null;
  const { kind, text, undo, act = undo && { title: 'Undo', run: undo }, next } = notice;
  const take = (run?: () => void) => () => {
    dismiss(notice);
    run?.();
  };
  return (
    <span role="alert" className={`notice ${kind}`}>
      <span className="wrap">{text}</span>
      {[act, next].map(
        (each) =>
          each && (
            <button key={each.title} type="button" className="strong" {...leavesFocus} onClick={take(each.run)}>
              {each.title}
            </button>
          ),
      )}
      <button type="button" aria-label="Dismiss notice" {...leavesFocus} onClick={take()}>
        ✕
      </button>
    </span>
  );
}
