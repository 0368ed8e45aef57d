/** The file's own cells, each column under what it holds, what it becomes and how it is read. */
import { NativeSelect } from '@mantine/core';
import type { ColumnRole } from '../../../engine/import/plan-import.ts';
import { columnKinds } from '../../../engine/import/sheet.ts';
import { Spread } from '../../parts/bars.tsx';
import { FigureHead } from '../../parts/figure.tsx';
import { Part } from '../../parts/notes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { shorten } from '../../parts/text/inputs.ts';
import { kindNames } from '../../parts/text/kind-names.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import type { Mapping } from './use-mapping.ts';

const roleNames: readonly { value: ColumnRole; label: string }[] = [
  { value: 'input', label: 'Input field' },
  { value: 'decision', label: 'Decision (label)' },
  { value: 'reasons', label: 'Reason codes' },
  { value: 'second_reading', label: 'Second reader' },
  { value: 'ignore', label: 'Leave out' },
];
const kindChoices = columnKinds.map((value) => ({ value, label: kindNames[value] }));
const open = { value: '', label: 'Choose…', disabled: true };

const maxCellLength = 120;

/** The first rows of a sheet under heads that say and choose what becomes of each column. */
export function ColumnGrid({ mapping }: { mapping: Mapping }) {
  const { columns, plan } = mapping;
  const asked = new Set([...mapping.listOpen('kind'), ...mapping.listOpen('input')]);
  const stateOf = ({ name, role }: Column) => (asked.has(name) ? 'asked' : role);
  const more = plan.file.rows - plan.preview.length;
  return (
    <Part title="Columns">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what the pointer scrolls, the keyboard does, too */}
      <section className="scroll column-grid" aria-label="Cells of the file" tabIndex={0}>
        <table className="plain">
          <thead>
            <tr>
              <FigureHead says="The line of the file.">Line</FigureHead>
              {columns.map((column) => (
                <th key={column.name} scope="col" data-role={stateOf(column)}>
                  <ColumnHead column={column} mapping={mapping} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {plan.preview.map(({ line, cells }) => (
              <tr key={line}>
                <td className="number muted">{line}</td>
                {columns.map((column, place) => (
                  <td key={column.name} data-role={stateOf(column)} title={showUnseen(cells[place] ?? '')}>
                    <span className="clip">{showUnseen(shorten(cells[place] ?? '', maxCellLength))}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more > 0 && <p className="muted small">and {count(more, 'more row')}</p>}
    </Part>
  );
}

type Column = Mapping['columns'][number];

function ColumnHead({ column, mapping }: { column: Column; mapping: Mapping }) {
  const { name, role, distinct, filled, spread, language } = column;
  const empty = mapping.plan.file.rows - filled;
  const isOpen = mapping.listOpen('kind').includes(name);
  const note = role === 'ignore' ? column.left_out : role === 'input' ? column.reason : null;
  return (
    <div className="column-head">
      <strong className="wrap">{showUnseen(name)}</strong>
      <NativeSelect
        aria-label={`Column ${isolate(name)} becomes`}
        value={role}
        data={roleNames}
        onChange={(event) => {
          const chosen = roleNames.find(({ value }) => value === event.currentTarget.value)?.value;
          if (chosen) mapping.setRole(name, chosen);
        }}
      />
      {role === 'input' && (
        <NativeSelect
          aria-label={`Kind of ${isolate(name)}`}
          error={isOpen}
          value={isOpen ? '' : column.read_as}
          data={isOpen ? [open, ...kindChoices] : kindChoices}
          onChange={(event) => {
            const chosen = columnKinds.find((kind) => kind === event.currentTarget.value);
            if (chosen) mapping.setKind(name, chosen);
          }}
        />
      )}
      <div className="foot-of-head">
        {spread.length > 0 && <Spread counts={spread} />}
        <p className="small">
          {distinct === 0 ? 'empty' : count(distinct, 'value')}
          {distinct > 0 && empty > 0 && `, ${number(empty)} empty`}
        </p>
        {role === 'input' && language !== null && <p className="small">{language}</p>}
        {note && (
          <p className={column.is_doubtful && role === 'input' ? 'small warn-text' : 'small'}>{showUnseen(note)}</p>
        )}
      </div>
    </div>
  );
}
