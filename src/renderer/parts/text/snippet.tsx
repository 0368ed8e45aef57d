import { Button, CopyButton as MantineCopyButton } from '@mantine/core';
import type { ReactNode } from 'react';

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
  return (
    <div className="stack tight">
      <div className="row between">
        {head ?? <h3>{name}</h3>}
        <CopyButton what={name} text={text} />
      </div>
      <pre className="snippet">{text}</pre>
    </div>
  );
}
