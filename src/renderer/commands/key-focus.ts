/** Single keys act where their rows are: in the one card, table or list of a place that is marked for them. */
import { useEffect, useLayoutEffect } from 'react';

/** Marks what single keys act in; it can have the focus itself. */
export const takesKeys = { 'data-takes-keys': true } as const;
const marked = '[data-takes-keys]';
const placeBody = 'section:has(> header > h1) > .body';

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

/** Gives the focus to where single keys act, else to another part, unless somebody is typing or it is there already. */
function focusRows(other = marked): void {
  if (findKeyPlace(document.activeElement) !== 'elsewhere' || isDialogOpen()) return;
  const part = document.querySelector<HTMLElement>(marked) ?? document.querySelector<HTMLElement>(other);
  part?.focus({ preventScroll: true });
}

/** Focuses where single keys act whenever other rows are there; `rows` names them, null while there are none. */
export function useRowsFocus(rows: string | null): void {
  // With what is drawn, not after it: a key pressed in between would act nowhere.
  useLayoutEffect(() => {
    if (rows !== null) focusRows();
  }, [rows]);
}

/** Gives the focus back to where single keys act when what had it is gone; in other places, a key scrolls the place. */
export function useFocusBack(): void {
  useEffect(() => {
    const giveBack = (other?: string) => {
      if (document.activeElement === document.body) focusRows(other);
    };
    const left = () => setTimeout(giveBack);
    const pressed = ({ key }: KeyboardEvent) => giveBack(/^(?:Arrow|Page|Home|End| )/.test(key) ? placeBody : marked);
    document.addEventListener('focusout', left);
    // A dialog that goes after its button was switched off takes no focus with it, so nothing is heard of it.
    document.addEventListener('keydown', pressed, { capture: true });
    return () => {
      document.removeEventListener('focusout', left);
      document.removeEventListener('keydown', pressed, { capture: true });
    };
  }, []);
}
