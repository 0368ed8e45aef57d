import { NativeSelect } from '@mantine/core';
import type { LabelTarget, LabelUse } from '../../../engine/import/labels.ts';
import { Part } from '../../parts/notes.tsx';
import { toChoices } from '../../parts/option.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { isolate, showUnseen } from '../../parts/text/names.ts';

const addValue = '\u0000add';
const noneValue = '\u0000none';

type LabelTableProps = {
  column: string;
  labels: readonly LabelUse[];
  targets: Readonly<Record<string, LabelTarget>>;
  options: readonly string[];
  onTarget(label: string, target: LabelTarget): void;
};

/** Every label of the file with its count, and the option that it means. */
export function LabelTable({ column, labels, targets, options, onTarget }: LabelTableProps) {
  const added = labels.filter(({ value }) => targets[value]?.kind === 'add').map(({ value }) => value);
  return (
    <Part title={`Values in “${isolate(column)}”`}>
      <PlainTable heads={['Label', { name: 'Rows', says: 'Rows with this label.' }, 'Option']}>
        {labels.map(({ value, count, line }) => {
          const target = targets[value] ?? { kind: 'none' as const };
          const isRenamed = target.kind === 'option' && target.option !== value;
          return (
            <tr key={value} title={`First on line ${line}.`}>
              <td className={isRenamed ? 'warn-text wrap' : 'wrap'}>{showUnseen(value)}</td>
              <td className="number">{count.toLocaleString()}</td>
              <td>
                <NativeSelect
                  miw="6.9rem"
                  aria-label={`Label ${isolate(value)} means`}
                  value={target.kind === 'option' ? target.option : target.kind === 'add' ? addValue : noneValue}
                  data={[
                    { value: addValue, label: 'new option' },
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
      </PlainTable>
    </Part>
  );
}
