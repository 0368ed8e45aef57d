import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { Json } from '../../../engine/domain.ts';
import { FigureHead } from '../../parts/figure.tsx';
import { shorten } from '../../parts/inputs.ts';
import { isolate, showUnseen } from '../../parts/names.ts';
import { Part } from '../../parts/notes.tsx';
import { toChoices } from '../../parts/option.tsx';
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
      <div className="scroll">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Becomes</th>
              <th scope="col">Kind</th>
              <FigureHead says="Rows with a value in this column.">Filled</FigureHead>
              <FigureHead says="Different values in this column.">Different</FigureHead>
              <th scope="col">For example</th>
            </tr>
          </thead>
          <tbody>
            {sheet.columns.map((name) => {
              const fact = facts.get(name);
              return (
                <tr key={name}>
                  <td className="strong wrap">{showUnseen(name)}</td>
                  <td>
                    <NativeSelect
                      aria-label={`Column ${isolate(name)} becomes`}
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
                    <Samples values={fact?.samples ?? []} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Part>
  );
}

/** A few values of a column in one line; what is cut off can be read on hover. */
function Samples({ values }: { values: readonly string[] }) {
  const text = values.map((value) => isolate(shorten(value, maxSampleLength))).join(' · ');
  return (
    <span className="clip samples" title={text}>
      {text}
    </span>
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
    <Part title={`What “${isolate(column)}” says`}>
      <div className="scroll">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Label</th>
              <FigureHead says="Rows with this label.">Rows</FigureHead>
              <th scope="col">Option</th>
            </tr>
          </thead>
          <tbody>
            {labels.map(({ value, count, line }) => {
              const target = targets[value] ?? { kind: 'none' as const };
              const isRenamed = target.kind === 'option' && target.option !== value;
              return (
                <tr key={value} title={`First on line ${line}.`}>
                  <td className={isRenamed ? 'warn-text wrap' : 'wrap'}>{showUnseen(value)}</td>
                  <td className="number">{count.toLocaleString()}</td>
                  <td>
                    <NativeSelect
                      aria-label={`Label ${isolate(value)} means`}
                      value={target.kind === 'option' ? target.option : target.kind === 'add' ? addValue : noneValue}
                      data={[
                        { value: addValue, label: `new option “${isolate(value)}”` },
                        { value: noneValue, label: 'no label' },
                        ...toChoices([
                          ...options,
                          ...added.filter((option) => option !== value && !options.includes(option)),
                        ]),
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
      </div>
    </Part>
  );
}
