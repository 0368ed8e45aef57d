/** The pane beside the sheet of rules: the field and the rule at the cursor. */
import { ActionIcon, Button } from '@mantine/core';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo } from 'react';
import type { NamedLists, Rule } from '../../../engine/domain/definition.ts';
import { readCell } from '../../../engine/rules/analysis/cells.ts';
import { toCondition } from '../../../engine/rules/analysis/table.ts';
import { describeCondition } from '../../../engine/rules/analysis/words.ts';
import { compileRules } from '../../../engine/rules/compile.ts';
import { printSubject } from '../../../engine/rules/days.ts';
import { printPath } from '../../../engine/rules/parsing/print.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { Bars } from '../../parts/bars.tsx';
import { Chart } from '../../parts/charts/chart.tsx';
import { NumberField } from '../../parts/fields/number-field.tsx';
import { Part } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { RuleCode } from './editor/rule-code.tsx';
import { readText, type SheetColumn, type SheetField, toSubject } from './sheet/sheet.ts';
import type { RulesDesk, useAnalysis } from './use-rules.ts';
import type { Sheet } from './use-sheet.ts';

type Seen = RulesAnalysis['fields'][number];

const maxShownValues = 12;

type ChosenRuleProps = Omit<ReturnType<typeof useAnalysis>, 'cellFields'> & {
  typeId: string;
  desk: RulesDesk;
  sheet: Sheet;
  problems: readonly RuleProblem[];
};

/** Shows the field of the cell at the cursor, and the rule there in words and in code, which is changed here. */
export function ChosenRule({ typeId, desk, sheet, fields, analysis, problems }: ChosenRuleProps) {
  const row = sheet.rows[sheet.cursor.row];
  const column = sheet.columns[sheet.cursor.column];
  const known =
    analysis.data?.fields.find(({ path }) => printPath(path) === column?.id) ??
    analysis.data?.days.find((field) => printSubject(toSubject(field)) === column?.id);
  if (!row) return <NoRule onCode={sheet.openCode} />;
  const { place, rule } = row;
  const ofRule = (each: { rule: number }) => each.rule === place;
  const findings = analysis.isPlaceholderData ? [] : (analysis.data?.findings.filter(ofRule) ?? []);
  return (
    <>
      {column?.kind === 'field' && !desk.isCodeOpen && (
        <FieldPart typeId={typeId} column={column} text={readText(row, column)} seen={known} lists={sheet.lists} />
      )}
      <RuleWords rule={rule} />
      <RuleCode
        key={place}
        rule={rule}
        isOpen={desk.isCodeOpen}
        fields={fields}
        lists={sheet.lists}
        problems={problems.filter(ofRule)}
        findings={findings}
        onOpen={sheet.openCode}
        onDone={sheet.closeCode}
        onCondition={(condition) => desk.setRuleAt(place, { condition }, `condition-${place}`)}
      />
      <RuleOrder desk={desk} place={place} priority={rule.priority} />
    </>
  );
}

function NoRule({ onCode }: { onCode(): void }) {
  return (
    <div className="part stack">
      <p className="muted">
        A rule decides at once when its condition holds, before the classifier is asked: for limits, laws and house
        rules that must always hold. With “hint:” before its outcome it only teaches. Type a name, or a condition in any
        cell, to add one.
      </p>
      <div>
        <Button size="compact-xs" title="Alt+Enter" onClick={onCode}>
          Write it as code
        </Button>
      </div>
    </div>
  );
}

function RuleWords({ rule }: { rule: Rule }) {
  const isEmpty = rule.condition.trim() === '';
  const words = isEmpty ? null : describeCondition(rule.condition);
  const then = rule.then === '' ? 'nothing is decided yet' : isolate(rule.then);
  return (
    <Part title="In words">
      <p className="wrap">
        {words === null
          ? isEmpty
            ? 'No condition yet'
            : 'Too much for one row of cells: see the code.'
          : rule.hint
            ? `If ${showUnseen(words)}, and it has no label, a training takes it for ${then}. It decides nothing.`
            : `If ${showUnseen(words)}, then ${then}.`}
      </p>
    </Part>
  );
}

/** Moves the rule among the others, or deletes it. */
function RuleOrder({ desk, place, priority }: { desk: RulesDesk; place: number; priority: number }) {
  const take = (typed: number) =>
    desk.setRuleAt(place, { priority: Math.max(1, Math.round(typed)) }, `priority-${place}`);
  return (
    <div className="part row">
      <span className="muted">Priority</span>
      <NumberField
        aria-label="Priority"
        title="Rules with lower numbers go first."
        size="xs"
        w={80}
        min={1}
        value={priority}
        onNumber={take}
      />
      <ActionIcon aria-label="Move the rule up" title="Alt+↑" onClick={() => desk.move(place, -1)}>
        <ArrowUp size={14} />
      </ActionIcon>
      <ActionIcon aria-label="Move the rule down" title="Alt+↓" onClick={() => desk.move(place, 1)}>
        <ArrowDown size={14} />
      </ActionIcon>
      <Button size="compact-xs" title="Ctrl+Delete" onClick={desk.remove}>
        Delete rule
      </Button>
    </div>
  );
}

/** Returns whether a cell is true for a value. */
function compileCell(
  field: SheetField,
  text: string,
  lists: NamedLists,
): (value: string | number | boolean) => boolean {
  const read = readCell(text, { type: field.type, path: ['value'] });
  const condition = 'tests' in read ? toCondition(read.tests) : '';
  const rule = { name: 'cell', condition, then: 'yes', reason_code: null, priority: 1 };
  const compiled = compileRules([rule], { options: ['yes', 'no'], reason_codes: [], lists });
  return (value) => compiled.ok && compiled.value.evaluate({ value }, false).matched !== null;
}

type FieldPartProps = {
  typeId: string;
  column: SheetColumn & { kind: 'field' };
  text: string;
  seen: Seen | undefined;
  lists: NamedLists;
};

/** The values of a field over the examples, by their labels; those that the cell means stand out. */
function FieldPart({ typeId, column, text, seen, lists }: FieldPartProps) {
  const isMeant = useMemo(() => compileCell(column.field, text, lists), [column, text, lists]);
  const colourOf = useOptionColours(typeId);
  const total = seen?.counts.reduce((sum, each) => sum + each, 0) ?? 0;
  const coloured = pickColoured(
    (seen?.by_option ?? []).map(({ counts }) => counts.reduce((sum, each) => sum + each, 0)),
  );
  return (
    <Part title={isolate(column.name)}>
      {seen?.distribution && seen.values.length !== 1 && seen.values.length !== 2 ? (
        <NumbersChart {...seen.distribution} {...{ typeId, isMeant, colourOf }} shares={seen.by_option} />
      ) : seen && total > 0 ? (
        <>
          <Bars
            says="How often each value occurs among the examples, by label; values that the cell does not match are faint."
            items={seen.values.slice(0, maxShownValues).map((value, place) => ({
              key: String(value),
              name: showUnseen(String(value)),
              value: (seen.counts[place] ?? 0) / total,
              text: number(seen.counts[place] ?? 0),
              colour: 'var(--line-strong)',
              isFaint: !isMeant(value),
              parts: coloured.flatMap((at) => {
                const share = seen.by_option[at];
                if (share === undefined) return [];
                const { option, counts } = share;
                return [{ name: option, value: (counts[place] ?? 0) / total, colour: colourOf(option) }];
              }),
            }))}
          />
          <OptionNames typeId={typeId} shares={seen.by_option} coloured={coloured} />
        </>
      ) : (
        <p className="muted">Too many different texts to list: write “mentions” and a word to look for.</p>
      )}
      {seen && seen.values.length > maxShownValues && !seen.distribution && (
        <p className="muted small">and {count(seen.values.length - maxShownValues, 'more value')}</p>
      )}
    </Part>
  );
}

/** More colours than this are a wall: the other labels are grey. */
const maxColours = 6;

/** The labels that have a colour of their own, by their place: all of a few, else those with the most examples. */
function pickColoured(examples: readonly number[]): number[] {
  const places = [...examples.keys()];
  if (places.length <= maxColours) return places;
  return places.sort((a, b) => (examples[b] ?? 0) - (examples[a] ?? 0)).slice(0, maxColours - 1);
}

type OptionNamesProps = { typeId: string; shares: Seen['by_option']; coloured: readonly number[] };

function OptionNames({ typeId, shares, coloured }: OptionNamesProps) {
  return (
    <ul className="row small">
      {coloured.map((place) => (
        <li key={place}>
          <OptionName typeId={typeId} option={shares[place]?.option ?? ''} />
        </li>
      ))}
      {shares.length > coloured.length && (
        <li className="muted">{count(shares.length - coloured.length, 'other option')} in grey</li>
      )}
    </ul>
  );
}

type NumbersProps = NonNullable<Seen['distribution']> & {
  typeId: string;
  shares: Seen['by_option'];
  isMeant(value: number): boolean;
  colourOf(option: string): string;
};

const toShort = (value: number) => Number(value.toPrecision(4));

/** Numbers of the examples in equal steps, by label; a step is faint where the cell does not mean its middle. */
function NumbersChart({ typeId, low, high, counts, shares, isMeant, colourOf }: NumbersProps) {
  const width = (high - low) / counts.length || 1;
  const steps = counts.map((total, place) => {
    const from = low + place * width;
    const byOption = shares.map(({ distribution }) => distribution?.[place] ?? 0);
    return {
      from,
      to: from + width,
      total,
      byOption,
      isFaint: !isMeant(from + width / 2),
    };
  });
  const sum = (some: typeof steps) => some.reduce((all, { total }) => all + total, 0);
  const meantSteps = steps.filter(({ isFaint }) => !isFaint);
  const meant = sum(meantSteps);
  // Labels that the cell means come first.
  const coloured = pickColoured(
    shares.map((_, place) =>
      [...meantSteps, ...(meant === 0 ? steps : [])].reduce((all, { byOption }) => all + (byOption[place] ?? 0), 0),
    ),
  );
  const toColoured = ({ byOption }: (typeof steps)[number]) =>
    coloured.reduce((all, place) => all + (byOption[place] ?? 0), 0);
  const range = `${number(toShort(low))} to ${number(toShort(high))} over ${count(sum(steps), 'example')}`;
  return (
    <Chart
      rows={steps}
      columns={[
        { name: 'From', show: ({ from }) => number(toShort(from)) },
        { name: 'Examples', show: ({ total }) => number(total) },
        ...shares.map(({ option }, place) => ({
          name: isolate(option),
          show: ({ byOption }: (typeof steps)[number]) => number(byOption[place] ?? 0),
        })),
      ]}
      x={{ name: '', show: (value) => number(toShort(value)), from: ({ from }) => from, to: ({ to }) => to }}
      y={{ name: 'Examples', show: number }}
      bars={{
        series: [
          ...coloured.map((place) => ({
            colour: colourOf(shares[place]?.option ?? ''),
            of: ({ byOption }: (typeof steps)[number]) => byOption[place] ?? 0,
          })),
          ...(steps.some((step) => step.total > toColoured(step))
            ? [{ colour: 'var(--line-strong)', of: (step: (typeof steps)[number]) => step.total - toColoured(step) }]
            : []),
        ],
        isFaint: ({ isFaint }) => isFaint,
      }}
      below={<OptionNames typeId={typeId} shares={shares} coloured={coloured} />}
      says={meant === 0 ? `${range}.` : `${range}; about ${number(meant)} match the cell.`}
    />
  );
}
