import { Button, Select } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useId, useMemo, useRef } from 'react';
import type { RuleEffect, RulesEffect } from '../../../engine/measured.ts';
import { nameSubject, printSubject } from '../../../engine/rules/days.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { takesKeys, useRowsFocus } from '../../commands/key-focus.ts';
import { whenComposed } from '../../commands/keys.ts';
import { Figure, FigureHead } from '../../parts/figure.tsx';
import { useNewest } from '../../parts/hooks/use-newest.ts';
import { findLongest, OptionName } from '../../parts/option.tsx';
import { useRemPx } from '../../parts/panes.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { BreakingName } from '../../parts/text/breaking-name.tsx';
import { amount, count, decimal, number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useCommands } from '../../state/use-commands.ts';
import {
  listChoices,
  listFreeFields,
  readText,
  type SheetColumn,
  type SheetField,
  type SheetRow,
} from './sheet/sheet.ts';
import { SheetInput } from './sheet/sheet-input.tsx';
import { toLines, toTsv } from './sheet/sheet-lines.ts';
import type { RulesDesk } from './use-rules.ts';
import { type Sheet, tellCopied } from './use-sheet.ts';

type SheetProps = {
  type: DecisionType;
  desk: RulesDesk;
  sheet: Sheet;
  problems: readonly RuleProblem[];
  analysis: RulesAnalysis | undefined;
  effect: RulesEffect | undefined;
};

/** As in the styles of the sheet. */
const [headHeightRem, rowHeightRem] = [2.5, 2.25];

/** The least and the largest width of each kind of column, the largest for one word, and of what is in it. */
const widthsRem = {
  name: { least: 8, most: 12, mostWord: 12, beside: 0.75, character: 0.43 },
  field: { least: 5.5, most: 10, mostWord: 15, beside: 0.875, character: 0.43 },
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

/** Figures of each rule, which stay in sight at the right, with the least width of their column. */
const figuresRem = { right: 4.5, points: 3.5, cost: 4.5 };
type FigureKey = keyof typeof figuresRem;
const placeRem = 2.375;
const figureHelp: Readonly<Record<FigureKey, string>> = {
  right: 'Labelled examples that the rule is the first to match, and how many of them have its outcome as their label.',
  points: 'Percentage points that the rule adds to the share correct of all unseen examples, beside the other rules.',
  cost: 'What the rule adds to the cost of 1,000 decisions; below 0 it saves.',
};

const addUp = (some: readonly number[]) => `${some.reduce((sum, width) => sum + width, 0)}rem`;

/** The figures that are shown, the width of each column, and how far from the right those stand that stay in sight. */
function useWidths({ columns, rows }: Sheet, states: ReadonlyMap<number, RuleState>, effect: RulesEffect | undefined) {
  const figures: FigureKey[] = ['right'];
  if (effect) figures.push('points');
  if (effect && effect.after.cost_per_1000 !== null) figures.push('cost');
  const widths = useMemo(() => columns.map((each) => toWidth(each, rows)), [columns, rows]);
  const rightRem = Math.max(
    figuresRem.right,
    ...[...states.values()].map(
      ({ counts, warningCount }) => describeRight(counts).length * 0.46 + (warningCount ? 2.5 : 0.75),
    ),
  );
  const figureWidths = figures.map((key) => (key === 'right' ? rightRem : figuresRem[key]));
  const frozen = {
    '--then': addUp(figureWidths),
    '--right': addUp(figureWidths.slice(1)),
    '--points': addUp(figureWidths.slice(2)),
  };
  return { figures, allRem: [placeRem, ...widths, ...figureWidths], frozen };
}

/** Finds the rows in sight, which are all that exist, and keeps the cell at the cursor among them. */
function useSight({ rows, columns, row, column }: Sheet) {
  const scroller = useRef<HTMLDivElement>(null);
  const remPx = useRemPx();
  const [headHeightPx, rowHeightPx] = [headHeightRem * remPx, rowHeightRem * remPx];
  const virtual = useVirtualizer({
    count: rows.length + 1,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    scrollMargin: headHeightPx,
    scrollPaddingStart: headHeightPx,
    overscan: 4,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the cell at the cursor is another one after each move
  useEffect(() => {
    const cell = scroller.current?.querySelector('[data-cursor]');
    if (cell) cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    else virtual.scrollToIndex(row);
  }, [row, column, columns.length]);
  const inSight = virtual.getVirtualItems();
  const abovePx = (inSight[0]?.start ?? headHeightPx) - headHeightPx;
  const belowPx = virtual.getTotalSize() + headHeightPx - (inSight.at(-1)?.end ?? headHeightPx);
  return { scroller, inSight, abovePx, belowPx };
}

/** Stands for rows out of sight. */
function Gap({ heightPx }: { heightPx: number }) {
  return heightPx > 0 && <tr style={{ height: heightPx }} />;
}

/** All rules as rows of one sheet, a column for each field: typed in like a spreadsheet. */
export function RuleSheet(props: SheetProps) {
  const { type, desk, sheet, problems, analysis, effect } = props;
  const { table, rows, columns, row, column, range, isRange, typing, press, copy, paste } = sheet;
  const { scroller, inSight, abovePx, belowPx } = useSight(sheet);
  const id = useId();
  useRowsFocus('Rules');
  const undecided = analysis?.impact.examples.undecided;
  const states = useMemo(() => toStates(rows, problems, analysis, effect), [rows, problems, analysis, effect]);
  const { figures, allRem, frozen } = useWidths(sheet, states, effect);
  const input = useCellInput(props);
  const actions = {
    onCell: useNewest((toRow: number, toColumn: number, isExtended: boolean) => {
      if (!isExtended) sheet.moveTo(toRow, toColumn);
      else if (!typing.edit) sheet.moveTo(toRow, toColumn, sheet.start);
    }),
    onOpen: useNewest(typing.begin),
    onCode: useNewest(desk.openCode),
  };
  return (
    <>
      <div ref={scroller} className="scroll sheet">
        <table
          ref={table}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take keys is a grid
          role="grid"
          aria-label="Rules"
          aria-rowcount={rows.length + 3}
          aria-activedescendant={`${id}-cursor`}
          aria-multiselectable="true"
          tabIndex={0}
          style={{ minWidth: addUp(allRem), ...frozen }}
          {...takesKeys}
          onKeyDown={whenComposed(press)}
          onFocus={sheet.enter}
          onCopy={copy}
          onPaste={(event) => void paste(event)}
        >
          <colgroup>
            {allRem.map((width, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
              <col key={at} style={{ width: `${width}rem` }} />
            ))}
          </colgroup>
          <SheetHead columns={columns} figures={figures} currency={type.costs?.currency ?? null} />
          <tbody>
            <Gap heightPx={abovePx} />
            {inSight.map(({ index }) => {
              const each = rows[index];
              const isChosen = isRange && index >= range.top && index <= range.bottom;
              return (
                <SheetLine
                  key={each?.place ?? 'new'}
                  typeId={type.id}
                  row={each}
                  index={index}
                  columns={columns}
                  figures={figures.join()}
                  cursor={index === row ? column : -1}
                  isRange={isRange}
                  from={isChosen ? range.left : 0}
                  to={isChosen ? range.right : -1}
                  cursorId={`${id}-cursor`}
                  input={input?.row === index ? input : null}
                  state={each && states.get(each.place)}
                  {...actions}
                />
              );
            })}
            <Gap heightPx={belowPx} />
            <RestLine columns={columns.length} isEmpty={rows.length === 0} {...{ figures, undecided }} />
          </tbody>
        </table>
      </div>
      <p className="muted small hint">
        The first match decides. A cell takes &gt; 100, 50 .. 200, basic, not basic, mentions refund or empty. Then:
        “hint: basic” only teaches.
      </p>
    </>
  );
}

type RestProps = { columns: number; isEmpty: boolean; figures: readonly FigureKey[]; undecided: number | undefined };

/** Says what becomes of the inputs that no rule decides, and of how many examples. */
function RestLine({ columns, isEmpty, figures, undecided }: RestProps) {
  return (
    <tr className="rest muted">
      <td />
      <td className="name">{isEmpty ? 'The classifier decides all' : 'Else the classifier decides'}</td>
      <td colSpan={columns - 2} />
      <td className="then" />
      {figures.map((key) => (
        <td key={key} className={`number ${key}`}>
          {key === 'right' && undecided !== undefined && (
            <Figure says="Examples that no rule decides.">{number(undecided)}</Figure>
          )}
        </td>
      ))}
    </tr>
  );
}

type HeadProps = { columns: readonly SheetColumn[]; figures: readonly FigureKey[]; currency: string | null };

function SheetHead({ columns, figures, currency }: HeadProps) {
  return (
    <thead>
      <tr>
        <FigureHead says="The place of the rule: the first that matches decides.">#</FigureHead>
        {columns.map(({ id, name, kind }) => (
          <th key={id} scope="col" className={kind} title={isolate(name)}>
            <span>
              <BreakingName name={name} />
            </span>
          </th>
        ))}
        {figures.map((key) => (
          <FigureHead key={key} className={key} says={figureHelp[key]}>
            {key === 'right' ? 'Right' : key === 'points' ? 'Points' : `Cost${currency ? `, ${currency}` : ''}`}
          </FigureHead>
        ))}
      </tr>
    </thead>
  );
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

type CellInput = { row: number; column: number; field: ReactNode };

/** Makes the field of the cell that is typed in; null while there is none. */
function useCellInput({ desk, sheet, analysis }: SheetProps): CellInput | null {
  const { rows, columns, typing } = sheet;
  const { edit } = typing;
  const column = edit && columns[edit.column];
  if (!column) return null;
  const rule = rows[edit.row]?.rule;
  const field = (
    <SheetInput
      label={`${isolate(column.name)} of ${rule ? isolate(rule.name) : 'a new rule'}`}
      text={edit.text}
      problem={edit.problem}
      choices={listChoices(column, edit.text, desk.draft, analysis?.fields ?? [])}
      onText={typing.type}
      onTake={(move) => typing.take(edit, move)}
      onLeave={typing.leave}
      onDrop={typing.drop}
    />
  );
  return { row: edit.row, column: edit.column, field };
}

type LineProps = {
  typeId: string;
  row: SheetRow | undefined;
  index: number;
  columns: readonly SheetColumn[];
  /** The figures that stand at the right, one behind the other. */
  figures: string;
  /** The column of the cursor; below 0 in the other lines. */
  cursor: number;
  /** Whether more than one cell is chosen, and the columns that are in this line. */
  isRange: boolean;
  from: number;
  to: number;
  cursorId: string;
  input: CellInput | null;
  state: RuleState | undefined;
  /** Moves to a cell, or extends the range to it. */
  onCell(row: number, column: number, isExtended: boolean): void;
  onOpen(row: number, column: number): void;
  onCode(place: number): void;
};

/** A rule, or the line in which a new one begins; drawn again only where something of it changed. */
const SheetLine = memo(function SheetLine(props: LineProps) {
  const { row, index, columns, figures, cursor, isRange, state } = props;
  const firstField = columns.findIndex(({ kind }) => kind === 'field');
  return (
    <tr aria-selected={cursor >= 0 && !isRange} aria-rowindex={index + 2}>
      <td className="number muted">{row ? index + 1 : '+'}</td>
      {columns.map((column, place) => {
        if (column.kind !== 'field' || row?.cells !== null)
          return <SheetCell key={column.id} {...props} column={column} place={place} />;
        return place === firstField && <CodeCell key="code" {...props} row={row} first={firstField} />;
      })}
      {figures.split(',').map((key) => (
        <td key={key} className={`number ${key}`}>
          {row &&
            state &&
            (key === 'right' ? (
              <RightCell isEmpty={row.rule.condition.trim() === ''} {...state} />
            ) : (
              state.effect && <EffectCell effect={state.effect} isCost={key === 'cost'} />
            ))}
        </td>
      ))}
    </tr>
  );
});

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

type CellProps = LineProps & { column: SheetColumn; place: number };

function SheetCell(props: CellProps) {
  const { typeId, row, index, cursor, cursorId, input, from, to, column, place, onCell, onOpen } = props;
  const isEdited = input?.column === place;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the cells of a grid can be selected
    <td
      {...(cursor === place ? { id: cursorId, 'data-cursor': true } : {})}
      aria-selected={place >= from && place <= to}
      className={isEdited ? `${column.kind} edited` : column.kind}
      onMouseDown={({ shiftKey }) => !isEdited && onCell(index, place, shiftKey)}
      onMouseEnter={({ buttons }) => buttons === 1 && onCell(index, place, true)}
      onDoubleClick={() => !isEdited && onOpen(index, place)}
    >
      {isEdited ? input.field : <CellText typeId={typeId} row={row} column={column} />}
    </td>
  );
}

function CellText({ typeId, row, column }: Pick<CellProps, 'typeId' | 'row' | 'column'>) {
  const text = readText(row, column);
  if (!row) return column.kind === 'name' ? <span className="muted">New rule…</span> : null;
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

type CodeCellProps = LineProps & { row: SheetRow; first: number };

/** The condition of a rule that is more than cells; `first` is the first of the columns that it takes. */
function CodeCell({ row, index, columns, cursor, cursorId, from, to, first, onCell, onCode }: CodeCellProps) {
  const width = columns.filter(({ kind }) => kind === 'field').length;
  const isCursor = columns[cursor]?.kind === 'field';
  const code = showUnseen(row.rule.condition);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the cells of a grid can be selected
    <td
      {...(isCursor ? { id: cursorId, 'data-cursor': true } : {})}
      aria-selected={from < first + width && to >= first}
      colSpan={width}
      className="field"
      title={`Does not fit a row of cells; Enter opens it as code: ${code}`}
      onMouseDown={({ shiftKey }) => onCell(index, first, shiftKey)}
      onMouseEnter={({ buttons }) => buttons === 1 && onCell(index, first, true)}
      onDoubleClick={() => onCode(row.place)}
    >
      <span className="tag">code</span> <code>{code}</code>
    </td>
  );
}

/** Saves the sheet as an Excel workbook, whose writer is loaded when it is needed. */
async function saveWorkbook(typeName: string, { rows, columns }: Sheet): Promise<void> {
  const { writeWorkbook } = await import('../../../engine/export/write-workbook.ts');
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  const blob = new Blob([writeWorkbook('Rules', toLines(rows, columns))], { type });
  saveFile(blob, `${typeName} rules.xlsx`);
}

type SheetToolsProps = {
  typeName: string;
  sheet: Sheet;
  fields: readonly SheetField[];
  onPaste(): void;
  /** null while the test is open. */
  onTest: (() => void) | null;
  onLists(): void;
};

/** Offers the acts on the whole sheet. */
export function SheetTools({ typeName, sheet, fields, onPaste, onTest, onLists }: SheetToolsProps) {
  const { rows, columns, typing, moveTo } = sheet;
  const free = listFreeFields(columns, fields);
  const add = () => {
    moveTo(rows.length, 0);
    typing.begin(rows.length, 0, '');
  };
  const copy = () => void navigator.clipboard.writeText(toTsv(toLines(rows, columns))).then(() => tellCopied(rows));
  const save = () => void saveWorkbook(typeName, sheet);
  useCommands('Create', [
    { id: 'add-rule', title: 'New rule', run: add },
    { id: 'copy-rules', title: 'Copy the rules for a spreadsheet', group: 'Edit', run: copy },
    { id: 'save-rules-file', title: 'Save the rules as an Excel file', group: 'Files', run: save },
    { id: 'paste-rules', title: 'Import rules from a spreadsheet', run: onPaste },
  ]);
  return (
    <>
      <Select
        aria-label="Add a column for a field"
        placeholder="+ Field"
        w={120}
        comboboxProps={{ shadow: 'md', keepMounted: false, width: 'max-content', position: 'bottom-start' }}
        searchable
        selectFirstOptionOnChange
        value={null}
        data={free.map((field) => ({ value: printSubject(field), label: showUnseen(nameSubject(field)) }))}
        disabled={free.length === 0}
        nothingFoundMessage="No field has this name"
        onChange={(id) => id !== null && sheet.addColumn(id)}
      />
      <Button onClick={onPaste}>Import…</Button>
      <Button disabled={rows.length === 0} onClick={save}>
        Excel
      </Button>
      {onTest && <Button onClick={onTest}>Test…</Button>}
      <Button onClick={onLists}>Lists…</Button>
      <Button onClick={add}>New rule</Button>
    </>
  );
}
