import { NativeSelect } from '@mantine/core';
import type { LabelTarget } from '../../../engine/import/labels.ts';
import { Part } from '../../parts/notes.tsx';
import { toChoices } from '../../parts/option.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import type { Mapping } from './use-mapping.ts';

const addValue = '\u0000add';
const noneValue = '\u0000none';

/** Every label of the file with its count, and the option that it means. */
export function LabelTable({ column, mapping }: { column: string; mapping: Mapping }) {
  const { labels, options, plan, setTargets } = mapping;
  const onTarget = (label: string, target: LabelTarget) => setTargets({ [label]: target });
  const added = labels.filter(({ target }) => target.kind === 'add').map(({ value }) => value);
  const more = plan.labels_total - labels.length;
  return (
    <Part title={`Values in “${isolate(column)}”`}>
      <PlainTable heads={['Label', { name: 'Rows', says: 'Rows with this label.' }, 'Option']}>
        {labels.map(({ value, count: rows, line, target }) => {
          const isRenamed = target.kind === 'option' && target.option !== value;
          return (
            <tr key={value} title={`First on line ${line}.`}>
              <td className={isRenamed ? 'warn-text wrap' : 'wrap'}>{showUnseen(value)}</td>
              <td className="number">{rows.toLocaleString()}</td>
              <td>
                <NativeSelect
                  miw="6.5rem"
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
      {more > 0 && <p className="muted">and {count(more, 'more label')}</p>}
    </Part>
  );
}
