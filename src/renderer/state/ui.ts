/** State of the window itself: overlays, announcements, questions, and a file that waits. */

import { createStore } from 'zustand/vanilla';
import type { ImportChoice } from '../../server/contract/examples/imports.ts';

type Overlay = 'shortcuts' | 'new-type' | 'publish' | null;
/** An act that waits for a yes: by default that one named by `title` is taken back. */
type Question = { heading?: string; title: string; yes?: string; run(): void };

/** A file to be imported; where it was before, how it was read, its next column of answers, and those learned. */
export type WaitingFile = {
  file: File;
  choices?: readonly ImportChoice[];
  answer?: string;
  learned?: readonly string[];
};

export type UiState = {
  open: Overlay;
  /** Read out by the live region; a screen reader hears it once. */
  announcement: string;
  question: Question | null;
  waiting: WaitingFile | null;
  show(open: Overlay): void;
  announce(text: string): void;
  ask(question: Question | null): void;
  takeFile(waiting: WaitingFile | null): void;
};

/** State of the window itself: which overlay is open, what the live region says, which file waits. */
export function createUiStore() {
  return createStore<UiState>()((set) => ({
    open: null,
    announcement: '',
    question: null,
    waiting: null,
    show: (open) => set({ open }),
    announce: (announcement) => set({ announcement }),
    ask: (question) => set({ question }),
    takeFile: (waiting) => set({ waiting }),
  }));
}

export type UiStore = ReturnType<typeof createUiStore>;
