import { NativeSelect } from '@mantine/core';
import type { ColumnRole } from '../../../engine/import/plan-import.ts';
import { columnKinds } from '../../../engine/import/sheet.ts';
import type { ColumnSurvey } from '../../../engine/import/survey.ts';
import { Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count } from '../../parts/text/figures.ts';
import { shorten, valueText } from '../../parts/text/inputs.ts';
import { kindNames } from '../../parts/text/kind-names.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import type { Mapping } from './use-mapping.ts';

const roleNames: readonly { value: ColumnRole; label: string }[] = [
  { value: 'input', label: 'Input field' },
  { value: 'decision', label: 'Decision (label)' },
  { value: 'reasons', label: 'Reason codes' },
  { value: 'ignore', label: 'Leave out' },
];
const kindChoices = columnKinds.map((value) => ({ value, label: kindNames[value] }));
const open = { value: '', label: 'Choose…', disabled: true };
const maxSampleLength = 24;

type ColumnTableProps = { surveys: readonly ColumnSurvey[]; rows: number; mapping: Mapping };

/** The columns of a sheet: what is in them, what each becomes, what it is read as, and why. */
export function ColumnTable({ surveys, rows, mapping }: ColumnTableProps) {
  return (
    <Part title="Columns">
      <PlainTable heads={['Column', 'Becomes', 'Values']}>
        {surveys.map((survey) => (
          <ColumnRow key={survey.name} survey={survey} rows={rows} mapping={mapping} />
        ))}
      </PlainTable>
    </Part>
  );
}

function ColumnRow({ survey, rows, mapping }: { survey: ColumnSurvey; rows: number; mapping: Mapping }) {
  const { name } = survey;
  const role = mapping.roles.get(name) ?? 'input';
  const isOpen = mapping.listOpen('kind').includes(name);
  const note = role === 'ignore' ? mapping.leftOut.get(name) : role === 'input' ? survey.reason : undefined;
  return (
    <tr>
      <td className="strong wrap">{showUnseen(name)}</td>
      <td>
        <div className="column-choices">
          <NativeSelect
            aria-label={`Column ${isolate(name)} becomes`}
            miw="8.5rem"
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
              miw="12rem"
              error={isOpen}
              value={isOpen ? '' : mapping.kinds.get(name)}
              data={isOpen ? [open, ...kindChoices] : kindChoices}
              onChange={(event) => {
                const chosen = columnKinds.find((kind) => kind === event.currentTarget.value);
                if (chosen) mapping.setKind(name, chosen);
              }}
            />
          )}
        </div>
      </td>
      <td className="wrap">
        {describeValues(survey, rows)}
        {note && <p className={survey.isDoubtful && role === 'input' ? 'warn-text' : 'muted'}>{showUnseen(note)}</p>}
      </td>
    </tr>
  );
}

/** “629 values: 0 · 13 · 26” and how many rows have no value. */
function describeValues({ samples, type, distinct, filled }: ColumnSurvey, rows: number): string {
  // Of HTML without any text the tags are shown.
  const read = (sample: string) => valueText(type === 'array' ? JSON.parse(sample) : sample) || showUnseen(sample);
  const shown = samples.map((sample) => isolate(shorten(read(sample), maxSampleLength))).join(' · ');
  const empty = rows > filled ? `, ${(rows - filled).toLocaleString()} empty` : '';
  return distinct === 0 ? 'empty' : `${count(distinct, 'value')}: ${shown}${empty}`;
}
