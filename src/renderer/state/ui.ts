import { createStore } from 'zustand/vanilla';

/** A short message in the corner; errors stay until they are closed. */
type Notice = { id: number; kind: 'info' | 'error'; text: string };

export type UiState = {
  open: 'palette' | 'shortcuts' | 'new-type' | null;
  notices: readonly Notice[];
  /** Read out by the live region; a screen reader hears it once. */
  announcement: string;
  show(open: 'palette' | 'shortcuts' | 'new-type' | null): void;
  notify(kind: Notice['kind'], text: string): void;
  dismiss(id: number): void;
  announce(text: string): void;
};

/** State of the window itself: which overlay is open, notices, what the live region says. */
export function createUiStore() {
  return createStore<UiState>()((set) => ({
    open: null,
    notices: [],
    announcement: '',
    show: (open) => set({ open }),
    notify: (kind, text) =>
      set((state) => ({
        notices: [...state.notices.slice(-3), { id: (state.notices.at(-1)?.id ?? 0) + 1, kind, text }],
        announcement: text,
      })),
    dismiss: (id) => set((state) => ({ notices: state.notices.filter((notice) => notice.id !== id) })),
    announce: (announcement) => set({ announcement }),
  }));
}

export type UiStore = ReturnType<typeof createUiStore>;
