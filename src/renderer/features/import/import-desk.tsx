import './import.css';
import { Button, FileButton } from '@mantine/core';
import { Upload } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Busy } from '../../parts/notes.tsx';
import { Pane } from '../../parts/panes.tsx';
import { acceptedFiles } from '../../parts/text/accepted-files.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useOpenFile } from './use-import.ts';

// It comes with the first file: the rest of the page does not wait for it.
const MappingDesk = lazy(async () => ({ default: (await import('./mapping-desk.tsx')).MappingDesk }));

const MovedDesk = lazy(async () => ({ default: (await import('./moved-desk.tsx')).MovedDesk }));

const MergeDesk = lazy(async () => ({ default: (await import('./merge-desk.tsx')).MergeDesk }));

const formats = ['CSV', 'TSV', 'Excel', 'Parquet', 'JSON', 'JSON Lines', 'ZIP of a decision type', 'Bundle'];

const steps = {
  'One row, one example': 'A column with the answer, where there is one, and the others as input.',
  'A few questions': 'Which column is the answer? Are two spellings the same? You decide.',
  'Label or train': 'Rows without an answer wait for you; with enough of them you train at once.',
};

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

/** Says before there is a file what it may be and what happens then, and takes one. */
function BeforeFile({ choose }: { choose: ReactNode }) {
  return (
    <div className="before-file">
      <section className="empty">
        <Upload size={28} strokeWidth={1.5} color="var(--accent)" aria-hidden="true" />
        <h2>Drop a file anywhere</h2>
        <p>Nothing is stored before you have seen it.</p>
        <p className="row">
          {formats.map((name) => (
            <span key={name} className="tag">
              {name}
            </span>
          ))}
        </p>
        {choose}
        <small className="muted">Up to {limits.maxImportBytes / 1_000_000} MB</small>
      </section>
      <ol className="pair">
        {Object.entries(steps).map(([name, says], at) => (
          <li key={name}>
            <strong>
              {at + 1} · {name}
            </strong>
            <p className="muted">{says}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}
