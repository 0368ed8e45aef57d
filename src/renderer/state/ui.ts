import { createStore } from 'zustand/vanilla';

type Overlay = 'shortcuts' | 'new-type' | null;

export type UiState = {
  open: Overlay;
  /** Read out by the live region; a screen reader hears it once. */
  announcement: string;
  /** A file that waits to be imported. */
  file: File | null;
  show(open: Overlay): void;
  announce(text: string): void;
  takeFile(file: File | null): void;
};

/** State of the window itself: which overlay is open, what the live region says, which file waits. */
export function createUiStore() {
  return createStore<UiState>()((set) => ({
    open: null,
    announcement: '',
    file: null,
    show: (open) => set({ open }),
    announce: (announcement) => set({ announcement }),
    takeFile: (file) => set({ file }),
  }));
}

export type UiStore = ReturnType<typeof createUiStore>;
