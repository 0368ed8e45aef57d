/** Single keys act where their rows are: in the one card, table or list of a place that is marked for them. */
import { useEffect, useLayoutEffect } from 'react';

/** Marks what single keys act in; it can have the focus itself. */
export const takesKeys = { 'data-takes-keys': true } as const;
const marked = '[data-takes-keys]';

/** For a button that a pointer presses while the keys act elsewhere: they stay there. */
export const leavesFocus = { onMouseDown: (event: { preventDefault(): void }) => event.preventDefault() };

/** Where a key is pressed: in a field, where single keys act, or anywhere else. */
export type KeyPlace = 'field' | 'rows' | 'elsewhere';

/** Says where the keys of an element go. */
export function findKeyPlace(target: EventTarget | null): KeyPlace {
  if (!(target instanceof HTMLElement)) return 'elsewhere';
  const field = 'input:not([type=checkbox],[type=radio]), textarea, select, .cm-editor';
  if (target.isContentEditable || target.closest(field)) return 'field';
  return target.closest(marked) ? 'rows' : 'elsewhere';
}

/** Whether a dialog, or a list that is open below its field, has the keys to itself. */
export function isDialogOpen(): boolean {
  return document.querySelector('[aria-modal="true"]') !== null;
}

/** Gives the focus to where single keys act, unless somebody is typing or it is there already. */
function focusRows(): void {
  if (findKeyPlace(document.activeElement) !== 'elsewhere' || isDialogOpen()) return;
  document.querySelector<HTMLElement>(marked)?.focus({ preventScroll: true });
}

/** Focuses where single keys act whenever other rows are there; `rows` names them, null while there are none. */
export function useRowsFocus(rows: string | null): void {
  // With what is drawn, not after it: a key pressed in between would act nowhere.
  useLayoutEffect(() => {
    if (rows !== null) focusRows();
  }, [rows]);
}

/** Gives the focus back to where single keys act when what had it is gone: a dialog, a notice, a button. */
export function useFocusBack(): void {
  useEffect(() => {
    const giveBack = () => {
      if (document.activeElement === document.body) focusRows();
    };
    const left = () => setTimeout(giveBack);
    document.addEventListener('focusout', left);
    // A dialog that goes after its button was switched off takes no focus with it, so nothing is heard of it.
    document.addEventListener('keydown', giveBack, { capture: true });
    return () => {
      document.removeEventListener('focusout', left);
      document.removeEventListener('keydown', giveBack, { capture: true });
    };
  }, []);
}
