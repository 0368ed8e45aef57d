import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Fields are typed into: what they say on hover would lie over the work. */
const silent = 'input, textarea, select';

type Shown = { target: HTMLElement; text: string };

/** Finds what a focused element has to say; null where it was not reached by keyboard or says nothing. */
function findShown(target: HTMLElement): Shown | null {
  if (target.matches(silent) || !target.matches(':focus-visible')) return null;
  const inside = target.matches('button') ? [...target.querySelectorAll<HTMLElement>('.number[title]')] : [];
  const text = target.title || inside.map(({ title }) => title).join(' ');
  return text === '' ? null : { target, text };
}

/** Shows on focus by keyboard what an element, or the figures in a button, say on hover; Escape takes it away. */
export function FocusedTitle() {
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(() => {
    const enter = ({ target }: FocusEvent) => setShown(target instanceof HTMLElement ? findShown(target) : null);
    const leave = () => setShown(null);
    const press = ({ key }: KeyboardEvent) => key === 'Escape' && setShown(null);
    document.addEventListener('focusin', enter);
    document.addEventListener('focusout', leave);
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('focusin', enter);
      document.removeEventListener('focusout', leave);
      document.removeEventListener('keydown', press);
    };
  }, []);
  return shown && <Tooltip key={shown.text} opened target={shown.target} label={shown.text} />;
}
