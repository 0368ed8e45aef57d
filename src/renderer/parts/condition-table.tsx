import { useState } from 'react';
import type { KnownField } from '../../engine/rules/fields.ts';
import { pathText } from '../../engine/rules/print.ts';
import { conditionOf, type TableRow, tableOf } from '../../engine/rules/table.ts';
import { changeTest, listText, readList, readValue, tests, valueText } from '../rules/table-values.ts';

/** A condition of comparisons that must all hold, one a row; the text stays what is stored. */
export function ConditionTable({
  value,
  onValue,
  fields,
}: {
  value: string;
  onValue(value: string): void;
  fields: readonly KnownField[];
}) {
  const rows = /^\s*(?:ctx\.)?\s*$/.test(value) ? [] : tableOf(value);
  if (!rows) {
    return (
      <p className="note">This condition is more than comparisons joined by &amp;&amp;: change it in the text view.</p>
    );
  }
  const put = (changed: readonly TableRow[]) => onValue(conditionOf(changed));
  const setRow = (index: number, row: TableRow) => put(rows.map((old, i) => (i === index ? row : old)));
  const first = fields.find(({ type }) => type !== 'map');
  const setPath = (index: number, row: TableRow, text: string) => {
    const field = fields.find(({ path }) => pathText(path) === text);
    if (field) setRow(index, { ...row, path: field.path });
  };
  return (
    <div className="stack tight">
      <table aria-label="Comparisons that must all hold">
        <thead>
          <tr>
            <th>Field</th>
            <th>Comparison</th>
            <th>Value</th>
            <th aria-label="Remove" />
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its text changes under the cursor
            <tr key={index}>
              <td>
                <select
                  aria-label={`Field ${index + 1}`}
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
                  disabled={rows.length === 1}
                  onClick={() => put(rows.filter((_, i) => i !== index))}
                >
                  ✕
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div>
        <button
          type="button"
          className="small"
          disabled={!first}
          onClick={() => first && put([...rows, { path: first.path, test: 'present' }])}
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
      value={typed ?? stored}
      onChange={(event) => {
        setTyped(event.target.value);
        onRow(read(event.target.value));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
