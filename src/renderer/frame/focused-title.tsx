import { Tooltip } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';

/** Fields are typed into: what they say on hover would lie over the work. */
const silent = 'input, textarea, select';

type Shown = { target: HTMLElement; text: string };

/** Returns the hover text of a focused element; null if it was not reached by keyboard or has none. */
function findShown(target: HTMLElement): Shown | null {
  if (target.matches(silent) || !target.matches(':focus-visible')) return null;
  const inside = target.matches('button') ? [...target.querySelectorAll<HTMLElement>('.number[title]')] : [];
  const text = target.title || inside.map(({ title }) => title).join(' ');
  return text === '' ? null : { target, text };
}

/** Shows on focus by keyboard what an element, or the figures in a button, say on hover; Escape takes it away. */
export function FocusedTitle() {
  const [shown, setShown] = useState<Shown | null>(null);
  useWindowEvent('focusin', ({ target }) => setShown(target instanceof HTMLElement ? findShown(target) : null));
  useWindowEvent('focusout', () => setShown(null));
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && setShown(null));
  return shown && <Tooltip key={shown.text} opened target={shown.target} label={shown.text} />;
}
