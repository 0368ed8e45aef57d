import { Button, CopyButton as MantineCopyButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { shorten } from './inputs.ts';

/** Characters of a line that are shown. */
const maxLineLength = 300;

/** Copies a text; `what` names it for those who cannot see what stands beside. */
export function CopyButton({ what, text }: { what: string; text: string }) {
  return (
    <MantineCopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-xs" aria-label={`Copy ${what}`} onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </MantineCopyButton>
  );
}

/** A text for another program, with its name, or what chooses it, and a button that copies it. */
export function Snippet({ name, text, head }: { name: string; text: string; head?: ReactNode }) {
  const shown = text
    .split('\n')
    .map((line) => shorten(line, maxLineLength))
    .join('\n');
  return (
    <div className="stack tight">
      <div className="row between">
        {head ?? <h3>{name}</h3>}
        <CopyButton what={name} text={text} />
      </div>
      <pre className="snippet">{shown}</pre>
      {shown !== text && <p className="muted small">Long lines are cut here; Copy takes them whole.</p>}
    </div>
  );
}
