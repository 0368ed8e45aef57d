import { Button, SegmentedControl } from '@mantine/core';
import { Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import type { Mapping } from './use-mapping.ts';

/** Asks of labels that are written nearly the same whether they are one answer or two. */
export function NearLabels({ mapping }: { mapping: Mapping }) {
  const { near, openNear, labels, targets, setTarget } = mapping;
  const counts = new Map(labels.map(({ value, count }) => [value, count]));
  const choose = (label: string, option: string, isSame: boolean) =>
    setTarget(label, isSame ? { kind: 'option', option } : { kind: 'add' });
  return (
    <Part title="Do these mean the same?">
      <PlainTable heads={['Label', 'Rows', 'Nearly the same', 'Its rows', { name: 'They are', isHidden: true }]}>
        {near.map(({ label: { value, count }, option }) => {
          const target = targets[value];
          const isOpen = openNear.some(({ label }) => label.value === value);
          return (
            <tr key={value}>
              <td className="wrap">{showUnseen(value)}</td>
              <td className="number">{count.toLocaleString()}</td>
              <td className="wrap">{showUnseen(option)}</td>
              <td className="number">{(counts.get(option) ?? 0).toLocaleString()}</td>
              <td>
                <SegmentedControl
                  aria-label={`${isolate(value)} and ${isolate(option)}`}
                  size="xs"
                  value={isOpen ? '' : target?.kind === 'option' && target.option === option ? 'same' : 'different'}
                  data={[
                    { value: 'same', label: 'The same' },
                    { value: 'different', label: 'Different' },
                  ]}
                  onChange={(chosen) => choose(value, option, chosen === 'same')}
                />
              </td>
            </tr>
          );
        })}
      </PlainTable>
      {openNear.length > 1 && (
        <Button
          size="xs"
          onClick={() => {
            for (const { label, option } of openNear) choose(label.value, option, false);
          }}
        >
          All are different
        </Button>
      )}
    </Part>
  );
}
