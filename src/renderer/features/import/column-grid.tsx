/** The file's own cells, each column under what it holds, what it becomes and how it is read. */
import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { ColumnRole } from '../../../engine/import/plan-import.ts';
import { columnKinds, readCell, type Sheet } from '../../../engine/import/sheet.ts';
import { countSpreads } from '../../../engine/import/spreads.ts';
import { type ColumnSurvey, toText } from '../../../engine/import/survey.ts';
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
  { value: 'ignore', label: 'Leave out' },
];
const kindChoices = columnKinds.map((value) => ({ value, label: kindNames[value] }));
const open = { value: '', label: 'Choose…', disabled: true };

/** Rows that show what a column holds; fewer where there are many columns, as each cell costs time to draw. */
const maxRows = 20;
const maxCells = 2_000;
const maxCellLength = 120;

type ColumnGridProps = {
  surveys: readonly ColumnSurvey[];
  sheet: Sheet;
  /** The languages of columns of texts, in words. */
  languages: ReadonlyMap<string, string>;
  mapping: Mapping;
};

/** The first rows of a sheet under heads that say and choose what becomes of each column. */
export function ColumnGrid({ surveys, sheet, languages, mapping }: ColumnGridProps) {
  const spreads = useMemo(() => countSpreads(surveys, sheet), [surveys, sheet]);
  const rows = sheet.rows.slice(0, Math.min(maxRows, Math.ceil(maxCells / surveys.length)));
  const asked = new Set(mapping.questions.map(({ column }) => column));
  const stateOf = (name: string) => (asked.has(name) ? 'asked' : mapping.roles.get(name));
  const more = sheet.rows.length - rows.length;
  return (
    <Part title="Columns">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what the pointer scrolls, the keyboard does, too */}
      <section className="scroll column-grid" aria-label="Cells of the file" tabIndex={0}>
        <table className="plain">
          <thead>
            <tr>
              <FigureHead says="The line of the file.">Line</FigureHead>
              {surveys.map((survey, place) => (
                <th key={survey.name} scope="col" data-role={stateOf(survey.name)}>
                  <ColumnHead
                    survey={survey}
                    spread={spreads[place] ?? []}
                    empty={sheet.rows.length - survey.filled}
                    language={languages.get(survey.name)}
                    mapping={mapping}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.line}>
                <td className="number muted">{row.line}</td>
                {surveys.map(({ name }, column) => {
                  const cell = readCell(row, sheet.columns, column) ?? null;
                  return (
                    <td key={name} data-role={stateOf(name)}>
                      <span className="clip">
                        {cell === null || cell === '' ? '' : showUnseen(shorten(toText(cell), maxCellLength))}
                      </span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more > 0 && <p className="muted small">and {count(more, 'more row')}</p>}
    </Part>
  );
}

type ColumnHeadProps = {
  survey: ColumnSurvey;
  spread: readonly number[];
  empty: number;
  language: string | undefined;
  mapping: Mapping;
};

function ColumnHead({ survey, spread, empty, language, mapping }: ColumnHeadProps) {
  const { name, distinct } = survey;
  const role = mapping.roles.get(name) ?? 'input';
  const isOpen = mapping.listOpen('kind').includes(name);
  const note = role === 'ignore' ? mapping.leftOut.get(name) : role === 'input' ? survey.reason : undefined;
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
          value={isOpen ? '' : mapping.kinds.get(name)}
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
        {role === 'input' && language !== undefined && <p className="small">{language}</p>}
        {note && (
          <p className={survey.isDoubtful && role === 'input' ? 'small warn-text' : 'small'}>{showUnseen(note)}</p>
        )}
      </div>
    </div>
  );
}
