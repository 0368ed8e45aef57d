/** The first view of an import, before there is a file. */
import { Upload } from 'lucide-react';
import type { ReactNode } from 'react';
import { limits } from '../../../engine/limits.ts';

const formats = ['CSV', 'TSV', 'Excel', 'Parquet', 'JSON', 'JSON Lines', 'ZIP of a decision type', 'Bundle'];

const steps = {
  'One row, one example': 'A column with the answer, where there is one, and the others as input.',
  'A few questions': 'Which column is the answer? Are two spellings the same? You decide.',
  'Label or train': 'Rows without an answer wait for you; with enough of them you train at once.',
};

/** Says before there is a file what it may be and what happens then, and takes one. */
export function BeforeFile({ choose }: { choose: ReactNode }) {
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
