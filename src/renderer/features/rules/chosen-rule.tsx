import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { Rule } from '../../../engine/domain.ts';
import { readCell } from '../../../engine/rules/analysis/cells.ts';
import { toCondition } from '../../../engine/rules/analysis/table.ts';
import { describeCondition } from '../../../engine/rules/analysis/words.ts';
import { compileRules } from '../../../engine/rules/compile.ts';
import { printPath } from '../../../engine/rules/parsing/print.ts';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { Bars, Spread } from '../../parts/bars.tsx';
import { Part } from '../../parts/notes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { readText, type SheetColumn, type SheetField } from './sheet/sheet.ts';
import type { Sheet } from './use-sheet.ts';

type Seen = RulesAnalysis['fields'][number];

const maxShownValues = 12;

/** Shows the field of the cell at the cursor, and the rule there in words and in code. */
export function ChosenRule({
  sheet,
  seen,
  onRemove,
}: {
  sheet: Sheet;
  seen: RulesAnalysis['fields'];
  onRemove(): void;
}) {
  const row = sheet.rows[sheet.row];
  const column = sheet.columns[sheet.column];
  const known = seen.find(({ path }) => printPath(path) === column?.id);
  return (
    <>
      {column?.kind === 'field' && <FieldPart column={column} text={readText(row, column)} seen={known} />}
      {row ? (
        <>
          <RuleParts rule={row.rule} />
          <div className="part">
            <Button size="compact-xs" variant="default" title="Ctrl+Delete" onClick={onRemove}>
              Delete rule
            </Button>
          </div>
        </>
      ) : (
        <p className="part muted">Type a name, or what one of its fields must be, and the rule is there.</p>
      )}
    </>
  );
}

function RuleParts({ rule }: { rule: Rule }) {
  const words = describeCondition(rule.condition);
  return (
    <>
      <Part title="In words">
        <p className="wrap">
          {words === null || words === ''
            ? 'More than a row of cells can say: see the code.'
            : `If ${showUnseen(words)}, then ${isolate(rule.then)}.`}
        </p>
      </Part>
      <Part title="In code">
        <code className="lines">{showUnseen(rule.condition.replaceAll(' && ', '\n&& ')) || 'No condition yet'}</code>
      </Part>
    </>
  );
}

/** Says of a value whether a cell is true for it. */
function compileCell(field: SheetField, text: string): (value: string | number | boolean) => boolean {
  const read = readCell(text, { ...field, path: ['value'] });
  const condition = 'tests' in read ? toCondition(read.tests) : '';
  const rule = { name: 'cell', condition, then: 'yes', reason_code: null, priority: 1 };
  const compiled = compileRules([rule], { options: ['yes', 'no'], reason_codes: [] });
  return (value) => compiled.ok && compiled.value.evaluate({ value }, false).matched !== null;
}

type FieldPartProps = { column: SheetColumn & { kind: 'field' }; text: string; seen: Seen | undefined };

/** The values of a field over the examples, those that the cell means marked. */
function FieldPart({ column, text, seen }: FieldPartProps) {
  const isMeant = useMemo(() => compileCell(column.field, text), [column, text]);
  const total = seen?.counts.reduce((sum, each) => sum + each, 0) ?? 0;
  return (
    <Part title={isolate(column.name)}>
      {seen?.distribution && seen.values.length !== 1 && seen.values.length !== 2 ? (
        <Histogram {...seen.distribution} isMeant={isMeant} />
      ) : seen && total > 0 ? (
        <Bars
          says="How often each value occurs among the examples; coloured are those that the cell means."
          items={seen.values.slice(0, maxShownValues).map((value, place) => ({
            key: String(value),
            name: showUnseen(String(value)),
            value: (seen.counts[place] ?? 0) / total,
            text: number(seen.counts[place] ?? 0),
            ...(isMeant(value) ? {} : { colour: 'var(--line-soft)' }),
          }))}
        />
      ) : (
        <p className="muted">Texts of many kinds: write mentions, and a word to look for.</p>
      )}
      {seen && seen.values.length > maxShownValues && !seen.distribution && (
        <p className="muted small">and {count(seen.values.length - maxShownValues, 'more value')}</p>
      )}
    </Part>
  );
}

type HistogramProps = NonNullable<Seen['distribution']> & { isMeant(value: number): boolean };

const toShort = (value: number) => Number(value.toPrecision(4));

/** Numbers of the examples in equal steps; a step is coloured where the cell means its middle. */
function Histogram({ low, high, counts, isMeant }: HistogramProps) {
  const width = (high - low) / counts.length;
  const middles = counts.map((_, step) => low + (step + 0.5) * width);
  const total = counts.reduce((sum, each) => sum + each, 0);
  const meant = counts.reduce((sum, each, step) => sum + (isMeant(middles[step] ?? 0) ? each : 0), 0);
  const range = `${number(toShort(low))} to ${number(toShort(high))} over ${count(total, 'example')}`;
  const says = meant === 0 ? `${range}.` : `${range}; about ${number(meant)} lie where the cell says.`;
  return (
    <figure className="histogram">
      <Spread
        counts={counts}
        says={says}
        colourOf={(step) => (isMeant(middles[step] ?? 0) ? 'var(--accent)' : 'var(--line-soft)')}
      />
      <figcaption className="muted small">{says}</figcaption>
    </figure>
  );
}
