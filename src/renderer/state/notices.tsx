import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { leavesFocus } from '../commands/key-focus.ts';

type Act = { title: string; run(): void };
type Notice = { kind: 'info' | 'error'; text: string; undo?: () => void; act?: Act };

const infoMs = 6_000;
const maxKept = 3;

/** The messages of the status line, the newest last. */
const notices = createStore<{ all: readonly Notice[] }>()(() => ({ all: [] }));

/**
 * Shows a message in the status line, with a button for what can be done about it or, as `undo`, that takes the act
 * back. An error stays until it is closed, and stands there again when what came after it has gone.
 */
export function notify(notice: Notice): void {
  notices.setState(({ all }) => ({ all: [...all.filter(({ kind }) => kind === 'error'), notice].slice(-maxKept) }));
  if (notice.kind === 'info') setTimeout(() => dismiss(notice), infoMs);
}

/** Says why something failed, in the words of its error. */
export function notifyFailure(error: unknown): void {
  notify({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
}

function dismiss(notice: Notice): void {
  notices.setState(({ all }) => ({ all: all.filter((each) => each !== notice) }));
}

/** Takes every message away. */
export function clearNotices(): void {
  notices.setState({ all: [] });
}

/** The newest message, as a part of the status line: it covers nothing. */
export function NoticeLine() {
  const notice = useStore(notices, ({ all }) => all.at(-1));
  if (notice === undefined) return null;
  const { kind, text, undo, act = undo && { title: 'Undo', run: undo } } = notice;
  const take = (run?: () => void) => () => {
    dismiss(notice);
    run?.();
  };
  return (
    <span role="alert" className={`notice ${kind}`}>
      <span className="wrap">{text}</span>
      {act && (
        <button type="button" className="strong" {...leavesFocus} onClick={take(act.run)}>
          {act.title}
        </button>
      )}
      <button type="button" aria-label="Dismiss notice" {...leavesFocus} onClick={take()}>
        ✕
      </button>
    </span>
  );
}
