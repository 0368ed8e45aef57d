import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { Json } from '../../../engine/domain.ts';
import { Part } from '../../parts/notes.tsx';
import type { ColumnRole, LabelTarget, LabelUse } from './plan.ts';
import type { Sheet } from './sheet.ts';

const roles: readonly { value: ColumnRole; label: string }[] = [
  { value: 'input', label: 'Input field' },
  { value: 'decision', label: 'Decision (label)' },
  { value: 'reasons', label: 'Reason codes' },
  { value: 'ignore', label: 'Leave out' },
];
const maxSamples = 3;
const maxSampleLength = 60;

type ColumnFacts = { kind: string; filled: number; distinct: number; samples: string[] };

function describeColumn(values: readonly (Json | undefined)[]): ColumnFacts {
  const filled = values.filter((value) => value !== null && value !== undefined && value !== '');
  const kinds = new Set(filled.map((value) => (Array.isArray(value) ? 'list' : typeof value)));
  const texts = new Set(filled.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))));
  return {
    kind: kinds.size === 1 ? [...kinds].join('') : kinds.size === 0 ? 'empty' : 'mixed',
    filled: filled.length,
    distinct: texts.size,
    samples: [...texts].slice(0, maxSamples),
  };
}

/** The columns of a sheet: what is in them, and what each becomes. */
export function ColumnTable({
  sheet,
  roles: chosen,
  onRole,
}: {
  sheet: Sheet;
  roles: Readonly<Record<string, ColumnRole>>;
  onRole(column: string, role: ColumnRole): void;
}) {
  const facts = useMemo(
    () => new Map(sheet.columns.map((name) => [name, describeColumn(sheet.rows.map(({ values }) => values[name]))])),
    [sheet],
  );
  return (
    <Part title="Columns">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Becomes</th>
            <th scope="col">Kind</th>
            <th scope="col" className="number">
              Filled
            </th>
            <th scope="col" className="number">
              Different
            </th>
            <th scope="col">For example</th>
          </tr>
        </thead>
        <tbody>
          {sheet.columns.map((name) => {
            const fact = facts.get(name);
            return (
              <tr key={name}>
                <td className="strong wrap">{name}</td>
                <td>
                  <NativeSelect
                    aria-label={`Column ${name} becomes`}
                    value={chosen[name] ?? 'input'}
                    data={roles}
                    onChange={(event) => {
                      const role = roles.find(({ value }) => value === event.currentTarget.value)?.value;
                      if (role) onRole(name, role);
                    }}
                  />
                </td>
                <td>{fact?.kind}</td>
                <td className="number">{fact?.filled.toLocaleString()}</td>
                <td className="number">{fact?.distinct.toLocaleString()}</td>
                <td className="muted">
                  <span className="clip samples">
                    {fact?.samples.map((sample) => sample.slice(0, maxSampleLength)).join(' · ')}
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Part>
  );
}

const addValue = '\u0000add';
const noneValue = '\u0000none';

/** Every label of the file with its count, and the option that it means. */
export function LabelTable({
  column,
  labels,
  targets,
  options,
  onTarget,
}: {
  column: string;
  labels: readonly LabelUse[];
  targets: Readonly<Record<string, LabelTarget>>;
  options: readonly string[];
  onTarget(label: string, target: LabelTarget): void;
}) {
  const added = labels.filter(({ value }) => targets[value]?.kind === 'add').map(({ value }) => value);
  return (
    <Part title={`What “${column}” says`}>
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Label</th>
            <th scope="col" className="number">
              Rows
            </th>
            <th scope="col">Option</th>
          </tr>
        </thead>
        <tbody>
          {labels.map(({ value, count, line }) => {
            const target = targets[value] ?? { kind: 'none' as const };
            const isRenamed = target.kind === 'option' && target.option !== value;
            return (
              <tr key={value} title={`First on line ${line}.`}>
                <td className={isRenamed ? 'warn-text wrap' : 'wrap'}>{value}</td>
                <td className="number">{count.toLocaleString()}</td>
                <td>
                  <NativeSelect
                    aria-label={`Label ${value} means`}
                    value={target.kind === 'option' ? target.option : target.kind === 'add' ? addValue : noneValue}
                    data={[
                      { value: addValue, label: `new option “${value}”` },
                      { value: noneValue, label: 'no label' },
                      ...[...options, ...added.filter((option) => option !== value && !options.includes(option))],
                    ]}
                    onChange={(event) => {
                      const chosen = event.currentTarget.value;
                      onTarget(
                        value,
                        chosen === addValue
                          ? { kind: 'add' }
                          : chosen === noneValue
                            ? { kind: 'none' }
                            : { kind: 'option', option: chosen },
                      );
                    }}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Part>
  );
}
