import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Fields are typed into: what they say on hover would lie over the work. */
const silent = 'input, textarea, select';

type Told = { target: HTMLElement; text: string };

/** What a focused element has to say; null where it was not reached by keyboard or says nothing. */
function findTold(target: HTMLElement): Told | null {
  if (target.matches(silent) || !target.matches(':focus-visible')) return null;
  const inside = target.matches('button') ? [...target.querySelectorAll<HTMLElement>('.number[title]')] : [];
  const text = target.title || inside.map(({ title }) => title).join(' ');
  return text === '' ? null : { target, text };
}

/** Shows whoever comes by keyboard what an element, or the figures in a button, say on hover; Escape takes it away. */
export function FocusedTitle() {
  const [told, setTold] = useState<Told | null>(null);
  useEffect(() => {
    const enter = ({ target }: FocusEvent) => setTold(target instanceof HTMLElement ? findTold(target) : null);
    const leave = () => setTold(null);
    const press = ({ key }: KeyboardEvent) => key === 'Escape' && setTold(null);
    document.addEventListener('focusin', enter);
    document.addEventListener('focusout', leave);
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('focusin', enter);
      document.removeEventListener('focusout', leave);
      document.removeEventListener('keydown', press);
    };
  }, []);
  return told && <Tooltip key={told.text} opened target={told.target} label={told.text} />;
}
