import { useState } from 'react';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import type { ImportMapping, ImportResult } from '../../server/contract/examples.ts';
import { useChange } from '../api/queries.ts';
import {
  type ColumnRole,
  findRole,
  guessFormat,
  type ImportFormat,
  importProblem,
  withRole,
} from '../examples/import-mapping.ts';
import { Dialog } from '../parts/dialog.tsx';
import { SelectField } from '../parts/fields.tsx';
import { Busy, ErrorNote } from '../parts/layout.tsx';
import { useWorkbench } from '../workbench.tsx';
import { summariseInput } from './example-table.tsx';

const formats: readonly { value: ImportFormat; text: string }[] = [
  { value: 'csv', text: 'CSV' },
  { value: 'tsv', text: 'TSV' },
  { value: 'json', text: 'JSON' },
  { value: 'jsonl', text: 'JSONL' },
];
const roles: readonly { value: ColumnRole; text: string }[] = [
  { value: 'input', text: 'Input field' },
  { value: 'decision', text: 'Decision (label)' },
  { value: 'reason_codes', text: 'Reason codes' },
  { value: 'ignore', text: 'Leave out' },
];
type File_ = { name: string; content: string; format: ImportFormat };

/** Choose a file, say what its columns are, look at the preview, import: whole or not at all. */
export function ImportDialog({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const { ui } = useWorkbench();
  const [file, setFile] = useState<File_ | null>(null);
  const [result, setResult] = useState<ImportResult | null>(null);
  const run = useChange('examples.import');
  const params = { decision_type_id: type.id };
  const preview = (next: File_, mapping?: ImportMapping) => {
    setFile(next);
    run.mutate(
      { params, body: { format: next.format, content: next.content, ...(mapping ? { mapping } : {}) } },
      { onSuccess: setResult },
    );
  };
  const choose = async (chosen: File | undefined) => {
    if (!chosen) return;
    setResult(null);
    const content = await chosen.text();
    preview({ name: chosen.name, content, format: guessFormat(chosen.name, content) });
  };
  const commit = () => {
    if (!file || !result) return;
    run.mutate(
      { params, body: { format: file.format, content: file.content, mapping: result.mapping, commit: true } },
      {
        onSuccess: (done) => {
          ui.getState().notify('info', `${done.total.toLocaleString()} examples were imported.`);
          onClose();
        },
      },
    );
  };
  const problem = result ? importProblem(result) : null;
  return (
    <Dialog title="Import examples" onClose={onClose}>
      <div className="row" style={{ alignItems: 'flex-end' }}>
        <div className="field grow">
          <label htmlFor="import-file">File</label>
          <input
            id="import-file"
            type="file"
            accept=".csv,.tsv,.json,.jsonl,.ndjson,.txt"
            onChange={(event) => void choose(event.target.files?.[0])}
          />
        </div>
        {file && (
          <SelectField
            label="Format"
            value={file.format}
            choices={formats}
            onValue={(value) => {
              const format = formats.find((each) => each.value === value)?.value;
              if (format) preview({ ...file, format });
            }}
          />
        )}
      </div>
      {!file && (
        <p className="muted">
          CSV, TSV, JSON or JSONL up to 16 MiB. One row is one example: a column with the decision, the others are the
          input. Nothing is stored before you have seen the preview.
        </p>
      )}
      {run.isPending && <Busy>Reading {file?.name}…</Busy>}
      {run.isError && <ErrorNote error={run.error} />}
      {result && file && (
        <>
          <ColumnTable
            result={result}
            onRole={(column, role) =>
              preview(
                file,
                withRole(
                  result.mapping,
                  result.columns.map(({ name }) => name),
                  column,
                  role,
                ),
              )
            }
          />
          <PreviewTable result={result} />
          {problem && (
            <p className="note warn" role="alert">
              {problem}
            </p>
          )}
        </>
      )}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="primary"
          disabled={!result || problem !== null || run.isPending || run.isError}
          onClick={commit}
        >
          {result ? `Import ${result.total.toLocaleString()} rows` : 'Import'}
        </button>
      </div>
    </Dialog>
  );
}

function ColumnTable({ result, onRole }: { result: ImportResult; onRole(column: string, role: ColumnRole): void }) {
  return (
    <div className="scroll" style={{ maxHeight: '16rem' }}>
      <table>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Becomes</th>
            <th scope="col">Kind</th>
            <th scope="col">For example</th>
          </tr>
        </thead>
        <tbody>
          {result.columns.map(({ name, kind, samples }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <select
                  aria-label={`Column ${name} becomes`}
                  value={findRole(name, result.mapping)}
                  onChange={(event) => {
                    const role = roles.find((each) => each.value === event.target.value)?.value;
                    if (role) onRole(name, role);
                  }}
                >
                  {roles.map((role) => (
                    <option key={role.value} value={role.value}>
                      {role.text}
                    </option>
                  ))}
                </select>
              </td>
              <td>{kind}</td>
              <td>
                <span className="clip muted" style={{ maxWidth: '16rem' }}>
                  {samples.join(', ')}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PreviewTable({ result }: { result: ImportResult }) {
  return (
    <div className="scroll" style={{ maxHeight: '14rem' }}>
      <table>
        <caption>
          {result.total.toLocaleString()} rows, {result.labelled.toLocaleString()} with a label. The first ones:
        </caption>
        <tbody>
          {result.preview.slice(0, 5).map((row) => (
            <tr key={row.line}>
              <td className="num muted">{row.line}</td>
              <td>
                <span className="clip" style={{ maxWidth: '26rem' }}>
                  {summariseInput(row.input_payload)}
                </span>
              </td>
              <td>{row.expected_decision ?? <span className="muted">no label</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
