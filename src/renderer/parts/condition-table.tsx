import { useState } from 'react';
import type { Rule } from '../../engine/domain.ts';
import type { KnownField } from '../../engine/rules/analysis/fields.ts';
import { type TableRow, toCondition, toTable } from '../../engine/rules/analysis/table.ts';
import { printPath as pathText } from '../../engine/rules/print.ts';
import { changeTest, listText, readList, readValue, tests, valueText } from '../rules/table-values.ts';

type Outcome = Pick<Rule, 'then' | 'reason_code'>;

/** A rule as a table: comparisons that must all hold, one a row, and the outcome. The text stays what is stored. */
export function ConditionTable({
  value,
  onValue,
  fields,
  outcome,
  options,
  reasonCodes,
  onOutcome,
}: {
  value: string;
  onValue(value: string): void;
  fields: readonly KnownField[];
  outcome: Outcome;
  options: readonly string[];
  reasonCodes: readonly string[];
  onOutcome(outcome: Partial<Outcome>): void;
}) {
  const rows = /^\s*(?:ctx\.)?\s*$/.test(value) ? [] : toTable(value);
  const tooMuch = rows === null && (
    <p className="note">This condition is more than comparisons joined by &amp;&amp;: change it in the text view.</p>
  );
  const shown = rows ?? [];
  const put = (changed: readonly TableRow[]) => onValue(toCondition(changed));
  const setRow = (index: number, row: TableRow) => put(shown.map((old, i) => (i === index ? row : old)));
  const first = fields.find(({ type }) => type !== 'map');
  const setPath = (index: number, row: TableRow, text: string) => {
    const field = fields.find(({ path }) => pathText(path) === text);
    if (field) setRow(index, { ...row, path: field.path });
  };
  const outcomeCells = (
    <>
      <td rowSpan={Math.max(1, shown.length)}>
        <select
          aria-label="Then"
          style={{ minWidth: '7rem' }}
          value={outcome.then}
          onChange={(event) => onOutcome({ then: event.target.value })}
        >
          {[...new Set([...options, outcome.then])].map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      </td>
      <td rowSpan={Math.max(1, shown.length)}>
        <select
          aria-label="Reason code"
          style={{ minWidth: '6rem' }}
          value={outcome.reason_code ?? ''}
          onChange={(event) => onOutcome({ reason_code: event.target.value === '' ? null : event.target.value })}
        >
          <option value="">None</option>
          {[...new Set([...reasonCodes, ...(outcome.reason_code === null ? [] : [outcome.reason_code])])].map(
            (code) => (
              <option key={code}>{code}</option>
            ),
          )}
        </select>
      </td>
    </>
  );
  return (
    <div className="stack tight">
      {tooMuch}
      <table aria-label="Comparisons that must all hold, and the outcome">
        <thead>
          <tr>
            <th>Field</th>
            <th>Comparison</th>
            <th>Value</th>
            <th aria-label="Remove" />
            <th>Then</th>
            <th>Reason code</th>
          </tr>
        </thead>
        <tbody>
          {shown.length === 0 && (
            <tr>
              <td colSpan={4} className="muted">
                {rows ? 'No comparison yet' : 'See the text view'}
              </td>
              {outcomeCells}
            </tr>
          )}
          {shown.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its text changes under the cursor
            <tr key={index}>
              <td>
                <select
                  aria-label={`Field ${index + 1}`}
                  style={{ minWidth: '9.5rem' }}
                  value={pathText(row.path)}
                  onChange={(event) => setPath(index, row, event.target.value)}
                >
                  {[...new Set([pathText(row.path), ...fields.map(({ path }) => pathText(path))])].map((text) => (
                    <option key={text}>{text}</option>
                  ))}
                </select>
              </td>
              <td>
                <select
                  aria-label={`Comparison ${index + 1}`}
                  style={{ minWidth: '9rem' }}
                  value={row.test}
                  onChange={(event) => setRow(index, changeTest(row, event.target.value as TableRow['test']))}
                >
                  {tests.map(({ test, text }) => (
                    <option key={test} value={test}>
                      {text}
                    </option>
                  ))}
                </select>
              </td>
              <td>
                <ValueInput
                  label={`Value ${index + 1}`}
                  row={row}
                  textField={fields.some(({ path, type }) => type === 'text' && pathText(path) === pathText(row.path))}
                  onRow={(changed) => setRow(index, changed)}
                />
              </td>
              <td>
                <button
                  type="button"
                  className="quiet"
                  aria-label={`Remove comparison ${index + 1}`}
                  disabled={shown.length === 1}
                  onClick={() => put(shown.filter((_, i) => i !== index))}
                >
                  ✕
                </button>
              </td>
              {index === 0 && outcomeCells}
            </tr>
          ))}
        </tbody>
      </table>
      <div>
        <button
          type="button"
          className="small"
          disabled={!first || !rows}
          onClick={() => first && put([...shown, { path: first.path, test: 'present' }])}
        >
          Add comparison
        </button>
        {!first && <span className="hint"> Fields are known once there are examples or an input schema.</span>}
      </div>
    </div>
  );
}

function ValueInput({
  label,
  row,
  textField,
  onRow,
}: {
  label: string;
  row: TableRow;
  textField: boolean;
  onRow(row: TableRow): void;
}) {
  // What is typed stays as typed until the field is left: "1." must not become "1" under the cursor.
  const [typed, setTyped] = useState<string | null>(null);
  if (row.test === 'present' || row.test === 'absent') return null;
  const wholeText = row.test === 'contains' || row.test === 'startsWith' || row.test === 'endsWith';
  const stored =
    row.test === 'in'
      ? listText(row.value, textField)
      : wholeText
        ? String(row.value)
        : valueText(row.value, textField);
  const read = (text: string): TableRow => {
    const { path, test } = row;
    if (test === 'in') return { path, test, value: readList(text, textField) };
    if (test === 'contains' || test === 'startsWith' || test === 'endsWith') return { path, test, value: text };
    return { path, test, value: readValue(text, textField) };
  };
  return (
    <input
      aria-label={label}
      style={{ minWidth: '6rem', width: '100%' }}
      value={typed ?? stored}
      onChange={(event) => {
        setTyped(event.target.value);
        onRow(read(event.target.value));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
