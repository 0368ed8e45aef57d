import './import.css';
import { Button, FileButton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Busy, EmptyState } from '../../parts/notes.tsx';
import { Pane } from '../../parts/panes.tsx';
import { acceptedFiles, maxFileBytes } from '../../parts/text/accepted-files.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useSheet } from './use-sheet.ts';

// It comes with the first file: the rest of the page does not wait for it.
const MappingDesk = lazy(async () => ({ default: (await import('./mapping-desk.tsx')).MappingDesk }));

const MovedDesk = lazy(async () => ({ default: (await import('./moved-desk.tsx')).MovedDesk }));

const MergeDesk = lazy(async () => ({ default: (await import('./merge-desk.tsx')).MergeDesk }));

/** A file, what is in it, what its labels mean, and one act that imports it; without a type it makes one. */
export function ImportDesk({ type }: { type: DecisionType | null }) {
  const { state, read, clear } = useSheet(type?.active_version.readings ?? {});
  const title = type ? `Import into ${isolate(type.name)}` : 'New from a file';
  const choose = (
    <FileButton
      accept={acceptedFiles}
      onChange={(file) => file && read({ file })}
      inputProps={{ 'aria-label': 'File' }}
    >
      {(props) => (
        <Button {...props} variant={state.kind === 'read' || state.kind === 'moved' ? 'default' : 'filled'}>
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
  if (state.kind === 'read') {
    const { from } = state;
    if (type && state.sheet.isOwnExport)
      return (
        <Suspense fallback={<Busy>Opening {isolate(from.file.name)}…</Busy>}>
          <MergeDesk type={type} file={from.file} title={title} choose={choose} onClose={clear} />
        </Suspense>
      );
    return (
      <Suspense fallback={<Busy>Opening {isolate(from.file.name)}…</Busy>}>
        <MappingDesk
          type={type}
          from={from}
          read={state}
          title={title}
          choose={choose}
          onReadAgain={(choice) => read({ ...from, choice: { ...from.choice, ...choice } })}
          onClose={clear}
        />
      </Suspense>
    );
  }
  return (
    <Pane title={title} level={1}>
      {state.kind === 'reading' ? (
        <div className="empty">
          <Busy>Reading {isolate(state.name)}…</Busy>
          <Button onClick={state.cancel}>Cancel</Button>
        </div>
      ) : (
        <EmptyState title="Drop a file anywhere" actions={choose}>
          Nothing is stored before you have seen it: CSV, TSV, Excel, Parquet, JSON, JSON Lines, up to{' '}
          {maxFileBytes / 1_000_000} MB, or a ZIP of a decision type or a bundle. One row is one example.
        </EmptyState>
      )}
      {state.kind === 'failed' && (
        <p className="note error" role="alert">
          {isolate(state.name)}: {showUnseen(state.message)}
        </p>
      )}
    </Pane>
  );
}
