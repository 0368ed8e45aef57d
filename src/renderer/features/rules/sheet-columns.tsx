/** The columns of the sheet of rules: what each shows of a rule, its figures beside it, and how wide they are. */
import { useMemo } from 'react';
import type { RuleEffect, RulesEffect } from '../../../engine/measured.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { Figure } from '../../parts/figure.tsx';
import type { GridColumn } from '../../parts/grid/columns.ts';
import { findLongest, OptionName } from '../../parts/option.tsx';
import { BreakingName } from '../../parts/text/breaking-name.tsx';
import { amount, count, decimal, number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { readText, type SheetColumn, type SheetRow } from './sheet/sheet.ts';

/** A row of the sheet, the one in which a new rule begins, or the last one: what no rule decides. */
export type SheetLine = SheetRow | 'new' | 'rest';

const toRow = (line: SheetLine) => (typeof line === 'string' ? undefined : line);

/** The pixels of a rem in a small window, as widths of columns are given. */
const remPx = 16;

/** The least and the largest width of each kind of column, the largest for one word, and of what is in it. */
const widthsRem = {
  name: { least: 8, most: 12, mostWord: 12, beside: 0.75, character: 0.43 },
  field: { least: 5.5, most: 10, mostWord: 15, beside: 0.875, character: 0.48 },
  reason: { least: 4, most: 14, mostWord: 14, beside: 1.25, character: 0.42 },
  then: { least: 5.25, most: 11, mostWord: 15, beside: 2, character: 0.46 },
};
/** The longer line of a text in two lines that break where words end. */
function countInTwoLines(text: string): number {
  const breaks = [...text.matchAll(/[\s\-._]/g)].map(({ index }) => Math.max(index + 1, text.length - index - 1));
  return breaks.reduce((least, longer) => Math.min(least, longer), text.length);
}

/** The columns are as wide as two lines of their contents need: what room there is beyond that is shared by all. */
function toWidth(column: SheetColumn, rows: readonly SheetRow[]): number {
  const { least, most, mostWord, beside, character } = widthsRem[column.kind];
  const texts = [column.name, ...rows.map((row) => readText(row, column))];
  const toRem = (characters: number) => characters * character + beside;
  const line = Math.max(...texts.map(countInTwoLines));
  const word = findLongest(texts.flatMap((text) => text.split(/\s+|(?<=[-._])/)));
  if (column.kind === 'reason') return Math.max(least, Math.min(most, toRem(findLongest(texts))));
  return Math.max(least, Math.min(most, toRem(line)), Math.min(mostWord, toRem(word)));
}

const figureHelp = {
  right: 'Labelled examples that the rule is the first to match, and how many of them have its outcome as their label.',
  rest: 'Examples that no rule decides.',
  points: 'Percentage points that the rule adds to the share correct of all unseen examples, beside the other rules.',
  cost: 'What the rule adds to the cost of 1,000 decisions; below 0 it saves.',
};

type Known = {
  typeId: string;
  problems: readonly RuleProblem[];
  analysis: RulesAnalysis | undefined;
  effect: RulesEffect | undefined;
  currency: string | null;
};

/** The columns of the sheet in the grid: the place of a rule, its cells, and its figures. */
export function useSheetColumns(
  { rows, columns }: { rows: readonly SheetRow[]; columns: readonly SheetColumn[] },
  { typeId, problems, analysis, effect, currency }: Known,
): GridColumn<SheetLine>[] {
  return useMemo(() => {
    const place: GridColumn<SheetLine> = {
      ...{ id: '#', header: '#', says: 'The place of the rule: the first that matches decides.' },
      ...{ width: 2.375 * remPx, numeric: true, isBeside: true },
      cell: (line, at) => <span className="muted">{toRow(line) ? at + 1 : line === 'new' && '+'}</span>,
    };
    const states = toStates(rows, problems, analysis, effect);
    const figures = toFigureColumns(states, analysis?.impact.examples.undecided, effect, currency);
    return [place, ...toCellColumns(typeId, rows, columns), ...figures];
  }, [rows, columns, typeId, problems, analysis, effect, currency]);
}

function toCellColumns(typeId: string, rows: readonly SheetRow[], columns: readonly SheetColumn[]) {
  const fields = columns.filter(({ kind }) => kind === 'field');
  const codeOf = (line: SheetLine) => (toRow(line)?.cells === null ? toRow(line)?.rule.condition : undefined);
  const rest = rows.length === 0 ? 'The classifier decides all' : 'Else the classifier decides';
  return columns.map((column): GridColumn<SheetLine> => {
    const { id, name, kind } = column;
    const all = { id, header: isolate(name), head: <BreakingName name={name} />, className: kind };
    return {
      ...all,
      width: toWidth(column, rows) * remPx,
      cell: (line) => <CellText {...{ typeId, line, column, rest }} />,
      ...(kind === 'name' && { frozen: 'left', span: (line) => (line === 'rest' ? columns.length - 1 : 1) }),
      ...(kind === 'then' && { frozen: 'right' }),
      // The condition of a rule that is more than cells takes the room of all fields.
      ...(column === fields[0] && {
        span: (line) => (codeOf(line) === undefined ? 1 : fields.length),
        title: (line) => {
          const code = codeOf(line);
          return code && `Does not fit a row of cells; Enter opens it as code: ${showUnseen(code)}`;
        },
      }),
    };
  });
}

/** The figures that are known, each in a column that stays in sight. */
function toFigureColumns(
  states: ReadonlyMap<number, RuleState>,
  undecided: number | undefined,
  effect: RulesEffect | undefined,
  currency: string | null,
): GridColumn<SheetLine>[] {
  const figure = (header: string, says: string, widthRem: number, cell: GridColumn<SheetLine>['cell']) => ({
    ...{ id: `figure ${header}`, header, says, width: widthRem * remPx, cell },
    ...({ numeric: true, isBeside: true, frozen: 'right' } as const),
  });
  const stateOf = (line: SheetLine) => states.get(toRow(line)?.place ?? -1);
  const effectOf = (isCost: boolean) => (line: SheetLine) => {
    const found = stateOf(line)?.effect;
    return found && <EffectCell effect={found} isCost={isCost} />;
  };
  const widthsRem = [...states.values()].map(
    ({ counts, warningCount }) => describeRight(counts).length * 0.46 + (warningCount ? 3.25 : 0.75),
  );
  const columns = [
    figure('Right', figureHelp.right, Math.max(4.5, ...widthsRem), (line) => {
      if (line === 'rest')
        return undecided !== undefined && <Figure says={figureHelp.rest}>{number(undecided)}</Figure>;
      const state = stateOf(line);
      return state && <RightCell isEmpty={toRow(line)?.rule.condition.trim() === ''} {...state} />;
    }),
  ];
  if (!effect) return columns;
  columns.push(figure('Points', figureHelp.points, 3.5, effectOf(false)));
  const cost = `Cost${currency ? `, ${currency}` : ''}`;
  return effect.after.cost_per_1000 === null
    ? columns
    : [...columns, figure(cost, figureHelp.cost, 4.5, effectOf(true))];
}

/** The state of a rule: its counts, what it does to unseen examples, and whether something is wrong with it. */
type RuleState = {
  counts: RulesAnalysis['impact']['rules'][number]['examples'] | undefined;
  effect: RuleEffect | undefined;
  hasProblem: boolean;
  warningCount: number;
};

function toStates(
  rows: readonly SheetRow[],
  problems: readonly RuleProblem[],
  analysis: RulesAnalysis | undefined,
  effect: RulesEffect | undefined,
): ReadonlyMap<number, RuleState> {
  const counts = new Map(analysis?.impact.rules.map(({ rule, examples }) => [rule, examples]));
  const effects = new Map(effect?.rules.map((each) => [each.name, each]));
  const wrong = new Set(problems.map(({ rule }) => rule));
  return new Map(
    rows.map(({ place, rule }) => [
      place,
      {
        counts: counts.get(place),
        effect: effects.get(rule.name),
        hasProblem: wrong.has(place),
        warningCount: countWarnings(analysis, place),
      },
    ]),
  );
}

/** Says how many of the labelled examples that a rule decides have its outcome as their label. */
function describeRight(counts: RuleState['counts']): string {
  if (!counts) return '';
  if (counts.matched === 0) return 'no match';
  const labelled = counts.matched - counts.unlabelled;
  return labelled === 0 ? 'no label' : `${number(counts.agrees)} of ${number(labelled)}`;
}

function RightCell({ isEmpty, counts, hasProblem, warningCount }: RuleState & { isEmpty: boolean }) {
  return (
    <>
      <RuleMark isEmpty={isEmpty} hasProblem={hasProblem} warningCount={warningCount} />{' '}
      {counts && (
        <Figure
          isStop={false}
          className={counts.matched > counts.unlabelled ? '' : 'muted'}
          says={`${count(counts.matched, 'example')}: ${counts.agrees} agree, ${counts.disagrees} have another label, ${counts.unlabelled} have none.`}
        >
          {describeRight(counts)}
        </Figure>
      )}
    </>
  );
}

/** Shows what a rule adds to the share correct, in points, or to the cost of decisions. */
function EffectCell({ effect, isCost }: { effect: RuleEffect; isCost: boolean }) {
  const { rows, right, right_without, points, cost_per_1000 } = effect;
  const value = rows === 0 ? null : isCost ? cost_per_1000 : points;
  const gain = isCost ? -(value ?? 0) : (value ?? 0);
  const shown = value === null ? '–' : isCost ? amount(value) : decimal(value, 1);
  return (
    <Figure
      isStop={false}
      className={Math.abs(gain) < 0.05 ? 'muted' : gain > 0 ? 'good-text' : 'bad-text'}
      says={`It decides ${count(rows, 'unseen example')}, ${right} correctly${right_without === null ? '' : `; without it ${right_without} of them would be correct`}.`}
    >
      {value !== null && value > 0 && '+'}
      {shown.replace('-', '−')}
    </Figure>
  );
}

type CellTextProps = { typeId: string; line: SheetLine; column: SheetColumn; rest: string };

function CellText({ typeId, line, column, rest }: CellTextProps) {
  const row = toRow(line);
  const text = readText(row, column);
  if (!row) return column.kind === 'name' && <span className="muted">{line === 'new' ? 'New rule…' : rest}</span>;
  if (column.kind === 'field' && row.cells === null) {
    return (
      <>
        <span className="tag">code</span> <code>{showUnseen(row.rule.condition)}</code>
      </>
    );
  }
  if (column.kind === 'then') {
    if (row.rule.then === '') return <span className="tag warn">choose</span>;
    return (
      <>
        {row.rule.hint && <span className="tag">hint</span>} <OptionName typeId={typeId} option={row.rule.then} />
      </>
    );
  }
  if (text === '') return <span className="muted">{column.kind === 'field' ? 'any' : ''}</span>;
  return (
    <span className="words">
      <BreakingName name={text} />
    </span>
  );
}

function countWarnings(analysis: RulesAnalysis | undefined, place: number): number {
  return analysis?.findings.filter(({ rule, severity }) => rule === place && severity === 'warning').length ?? 0;
}

type RuleMarkProps = { isEmpty: boolean; hasProblem: boolean; warningCount: number };

/** Whether something is wrong with a rule. */
function RuleMark({ isEmpty, hasProblem, warningCount }: RuleMarkProps) {
  if (isEmpty) return <span className="tag">empty</span>;
  if (hasProblem) return <span className="tag bad">check</span>;
  if (warningCount === 0) return null;
  return (
    <span className="tag warn number" title="Warnings about this rule; they stand below the sheet.">
      {warningCount}
    </span>
  );
}
