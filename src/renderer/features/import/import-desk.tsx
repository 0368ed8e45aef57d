import './import.css';
import { Button, FileButton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Busy } from '../../parts/notes.tsx';
import { Pane } from '../../parts/panes.tsx';
import { acceptedFiles } from '../../parts/text/accepted-files.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useOpenFile } from './use-import.ts';

// They come with the first import: the rest of the page does not wait for them.
const MappingDesk = lazy(async () => ({ default: (await import('./mapping-desk.tsx')).MappingDesk }));

const BeforeFile = lazy(async () => ({ default: (await import('./before-file.tsx')).BeforeFile }));

const MovedDesk = lazy(async () => ({ default: (await import('./moved-desk.tsx')).MovedDesk }));

const MergeDesk = lazy(async () => ({ default: (await import('./merge-desk.tsx')).MergeDesk }));

/** A file, what is in it, what its labels mean, and one act that imports it; without a type it makes one. */
export function ImportDesk({ type }: { type: DecisionType | null }) {
  const { state, open, clear } = useOpenFile(type);
  const title = type ? `Import into ${isolate(type.name)}` : 'New from a file';
  const choose = (
    <FileButton
      accept={acceptedFiles}
      onChange={(file) => file && open({ file })}
      inputProps={{ 'aria-label': 'File' }}
    >
      {(props) => (
        <Button {...props} variant={state.kind === 'open' || state.kind === 'moved' ? 'default' : 'filled'}>
          Choose a file…
        </Button>
      )}
    </FileButton>
  );
  if (state.kind === 'moved')
    return (
      <Suspense fallback={<Busy>Opening {isolate(state.file.name)}…</Busy>}>
        <MovedDesk key={state.file.name} type={type} file={state.file} title={title} choose={choose} />
      </Suspense>
    );
  if (state.kind === 'open') {
    const { from, opened, plan } = state;
    const desk = { from, file: opened, plan, title, choose, onClose: clear };
    return (
      <Suspense fallback={<Busy>Opening {isolate(from.file.name)}…</Busy>}>
        {type && plan.merge ? (
          <MergeDesk key={opened.key} type={type} merge={plan.merge} {...desk} />
        ) : (
          <MappingDesk key={opened.key} type={type} {...desk} />
        )}
      </Suspense>
    );
  }
  return (
    <Pane title={title} level={1} cards>
      {state.kind === 'reading' ? (
        <div className="empty">
          <Busy>Reading {isolate(state.name)}…</Busy>
          <Button onClick={state.cancel}>Cancel</Button>
        </div>
      ) : (
        <BeforeFile choose={choose} />
      )}
      {state.kind === 'failed' && (
        <p className="note error" role="alert">
          {isolate(state.name)}: {showUnseen(state.message)}
        </p>
      )}
    </Pane>
  );
}
