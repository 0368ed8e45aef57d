import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { Rule } from '../../../engine/domain.ts';
import type { KnownField } from '../../../engine/rules/analysis/fields.ts';
import { type TableRow, toCondition, toTable } from '../../../engine/rules/analysis/table.ts';
import { printPath as pathText } from '../../../engine/rules/print.ts';
import { toChoices } from '../../parts/option.tsx';
import { changeTest, listText, readList, readValue, tests, valueText } from './table-values.ts';

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
        <NativeSelect
          aria-label="Then"
          value={outcome.then}
          data={toChoices([...new Set([...options, outcome.then])])}
          onChange={(event) => onOutcome({ then: event.currentTarget.value })}
        />
      </td>
      <td rowSpan={Math.max(1, shown.length)}>
        <NativeSelect
          aria-label="Reason code"
          value={outcome.reason_code ?? ''}
          data={[
            { value: '', label: 'None' },
            ...new Set([...reasonCodes, ...(outcome.reason_code === null ? [] : [outcome.reason_code])]),
          ]}
          onChange={(event) => onOutcome({ reason_code: event.currentTarget.value || null })}
        />
      </td>
    </>
  );
  return (
    <div className="stack tight">
      {tooMuch}
      <table className="plain" aria-label="Comparisons that must all hold, and the outcome">
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
                <NativeSelect
                  aria-label={`Field ${index + 1}`}
                  value={pathText(row.path)}
                  data={[...new Set([pathText(row.path), ...fields.map(({ path }) => pathText(path))])]}
                  onChange={(event) => setPath(index, row, event.currentTarget.value)}
                />
              </td>
              <td>
                <NativeSelect
                  aria-label={`Comparison ${index + 1}`}
                  value={row.test}
                  data={tests.map(({ test, text }) => ({ value: test, label: text }))}
                  onChange={(event) => setRow(index, changeTest(row, event.currentTarget.value as TableRow['test']))}
                />
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
                <ActionIcon
                  aria-label={`Remove comparison ${index + 1}`}
                  disabled={shown.length === 1}
                  onClick={() => put(shown.filter((_, i) => i !== index))}
                >
                  <X size={14} />
                </ActionIcon>
              </td>
              {index === 0 && outcomeCells}
            </tr>
          ))}
        </tbody>
      </table>
      <div>
        <Button
          size="compact-xs"
          variant="default"
          disabled={!first || !rows}
          onClick={() => first && put([...shown, { path: first.path, test: 'present' }])}
        >
          Add comparison
        </Button>
        {!first && <span className="muted"> Fields are known once there are examples or an input schema.</span>}
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
    <TextInput
      aria-label={label}
      value={typed ?? stored}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onRow(read(event.currentTarget.value));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
