import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { NamedLists } from '../../../engine/domain/definition.ts';
import { limits } from '../../../engine/limits.ts';
import { toTable } from '../../../engine/rules/analysis/table.ts';
import { FormDialog } from '../../parts/form.tsx';

type ListValues = NamedLists[string];
/** How the lines of a list are read: as texts, numbers, or values as in code. */
type ValueKind = 'text' | 'number' | 'code';
type ListRow = { key: number; name: string; kind: ValueKind; text: string };

const kinds = [
  { value: 'text', label: 'texts' },
  { value: 'number', label: 'numbers' },
  { value: 'code', label: 'as in code' },
];
const isPlainText = (value: unknown) => typeof value === 'string' && value.trim() === value && /^[^\r\n]+$/.test(value);

function toRow([name, values]: [string, ListValues], key: number): ListRow {
  const kind = values.every(isPlainText)
    ? 'text'
    : values.every((value) => typeof value === 'number')
      ? 'number'
      : 'code';
  const text = values.map((value) => (kind === 'code' ? JSON.stringify(value) : String(value))).join('\n');
  return { key, name, kind, text };
}

/** Reads one line; null where it is not a value of its kind. */
function readLine(line: string, kind: ValueKind): ListValues[number] | null {
  if (kind === 'text') return line;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'number') return value;
    return kind === 'code' && (typeof value === 'string' || typeof value === 'boolean') ? value : null;
  } catch {
    return null;
  }
}

/** Reads the lines of a list, each value once; blank ones count for nothing. */
function readValues({ text, kind }: ListRow): { values: ListValues } | { problem: string } {
  const values = new Set<ListValues[number]>();
  for (const [place, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = readLine(line.trim(), kind);
    if (value === null)
      return {
        problem: `Line ${place + 1} is ${kind === 'number' ? 'no number, such as 1250.5' : 'no "text", number, true or false'}.`,
      };
    if (String(value).length > limits.maxNameLength)
      return { problem: `Line ${place + 1} is longer than ${limits.maxNameLength} characters.` };
    values.add(value);
  }
  if (values.size === 0) return { problem: 'Write at least one value.' };
  if (values.size > limits.maxListValues)
    return { problem: `A list has at most ${limits.maxListValues} values, not ${values.size}.` };
  return { values: [...values] };
}

function findNameProblem({ name }: ListRow, rows: readonly ListRow[]): string | null {
  if (rows.filter((row) => row.name === name).length > 1) return 'Another list has this name.';
  const [test] = toTable(`ctx.field in lists.${name}`) ?? [];
  const canBeNamed = test && 'list' in test && test.list === name && name.length <= 64;
  return canBeNamed ? null : 'Up to 64 letters, digits and _, no digit first; no word of the rules.';
}

type ListsDialogProps = { lists: NamedLists; onLists(lists: NamedLists): void; onClose(): void };

/** The named lists of a type: lines that are typed, or pasted from a spreadsheet's column. */
export function ListsDialog({ lists, onLists, onClose }: ListsDialogProps) {
  const [rows, setRows] = useState(() => Object.entries(lists).map(toRow));
  const read = rows.map((row) => ({ row, name: findNameProblem(row, rows), values: readValues(row) }));
  const isWrong = read.some(({ name, values }) => name !== null || 'problem' in values);
  const add = () =>
    setRows([...rows, { key: 1 + Math.max(-1, ...rows.map(({ key }) => key)), name: '', kind: 'text', text: '' }]);
  const save = () => {
    onLists(
      Object.fromEntries(read.flatMap(({ row, values }) => ('values' in values ? [[row.name, values.values]] : []))),
    );
    onClose();
  };
  return (
    <FormDialog
      title="Lists of values"
      size="lg"
      act="Use these lists"
      disabled={isWrong}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="muted">
        A rule names a list: <code>in lists.eu</code> in a cell, <code>ctx.country in lists.eu</code> in code.
      </p>
      {read.map(({ row, name, values }) => (
        <ListFields
          key={row.key}
          row={row}
          nameProblem={name}
          problem={'problem' in values ? values.problem : null}
          onRow={(patch) => setRows(rows.map((old) => (old === row ? { ...old, ...patch } : old)))}
          onRemove={() => setRows(rows.filter((old) => old !== row))}
        />
      ))}
      <div>
        <Button disabled={rows.length >= limits.maxLists} onClick={add}>
          Add a list
        </Button>
      </div>
    </FormDialog>
  );
}

type ListFieldsProps = {
  row: ListRow;
  nameProblem: string | null;
  problem: string | null;
  onRow(patch: Partial<ListRow>): void;
  onRemove(): void;
};

function ListFields({ row, nameProblem, problem, onRow, onRemove }: ListFieldsProps) {
  return (
    <section className="part stack tight" aria-label={`List ${row.name}`}>
      <div className="row still">
        <TextInput
          data-autofocus={row.name === '' || undefined}
          autoFocus={row.name === ''}
          className="grow"
          label="Name"
          value={row.name}
          error={row.name === '' ? null : nameProblem}
          onChange={(event) => onRow({ name: event.currentTarget.value.trim() })}
        />
        <Select
          label="Values are"
          w={130}
          allowDeselect={false}
          value={row.kind}
          data={kinds}
          onChange={(kind) => onRow({ kind: kind as ValueKind })}
        />
        <Button size="compact-xs" onClick={onRemove}>
          Remove
        </Button>
      </div>
      <Textarea
        label="Values, one a line"
        autosize
        minRows={3}
        maxRows={8}
        value={row.text}
        error={row.text === '' ? null : problem}
        onChange={(event) => onRow({ text: event.currentTarget.value })}
      />
    </section>
  );
}
