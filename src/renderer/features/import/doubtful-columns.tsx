import { SegmentedControl } from '@mantine/core';
import { Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import type { Mapping } from './use-mapping.ts';

/** Asks of columns that tell the answer, or may only name the row, whether they are to be learned from. */
export function DoubtfulColumns({ mapping: { asked, listOpen, leaks, roles, setRole } }: { mapping: Mapping }) {
  const open = listOpen('input');
  return (
    <Part title="Learn from these columns?">
      <PlainTable heads={['Column', 'Why it is asked', { name: 'Choice', isHidden: true }]}>
        {asked.map((name) => (
          <tr key={name}>
            <td className="strong wrap">{showUnseen(name)}</td>
            <td className="wrap">{leaks.get(name)?.sentence}</td>
            <td>
              <SegmentedControl
                aria-label={`Learn from ${isolate(name)}`}
                size="xs"
                value={open.includes(name) ? '' : roles.get(name) === 'ignore' ? 'ignore' : 'input'}
                data={[
                  { value: 'ignore', label: 'Leave it out' },
                  { value: 'input', label: 'Learn from it' },
                ]}
                onChange={(chosen) => setRole(name, chosen === 'ignore' ? 'ignore' : 'input')}
              />
            </td>
          </tr>
        ))}
      </PlainTable>
    </Part>
  );
}
