import { Button, Select } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useId, useMemo, useRef } from 'react';
import { printPath } from '../../../engine/rules/parsing/print.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { takesKeys, useRowsFocus } from '../../commands/key-focus.ts';
import { BreakingName } from '../../parts/breaking-name.tsx';
import { Figure, FigureHead } from '../../parts/figure.tsx';
import { useNewest } from '../../parts/hooks/use-newest.ts';
import { findLongest, OptionName } from '../../parts/option.tsx';
import { useRemPx } from '../../parts/panes.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { count, number } from '../../parts/text/figures.ts';
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
};

const hint =
  'The first match decides. In any cell: > 100, 50 .. 200, basic, not basic, mentions refund, empty. Then: “hint: basic” only teaches.';

/** As in the styles of the sheet. */
const [headHeightRem, rowHeightRem] = [2.75, 1.875];

/** The least and the largest width of a column of each kind, and what stands beside its longest word. */
const widthsRem = {
  name: { least: 8.5, most: 12, beside: 0.75 },
  field: { least: 4.75, most: 11, beside: 0.75 },
  then: { least: 5, most: 11, beside: 1.75 },
  reason: { least: 4.5, most: 11, beside: 0.75 },
};
const characterRem = 0.5;
/** Values up to this length stand on one line. */
const maxLineCharacters = 12;

/** The columns are as wide as their longest words, so that none of them breaks. */
function toWidths(columns: readonly SheetColumn[], rows: readonly SheetRow[]): { key: string; width: number }[] {
  const measure = (text: string) =>
    text.length <= maxLineCharacters ? text.length : findLongest(text.split(/\s+|(?<=[-._])/));
  return [
    { key: 'place', width: 2.375 },
    ...columns.map((column) => {
      const { least, most, beside } = widthsRem[column.kind];
      const longest = rows.reduce(
        (found, row) => Math.max(found, measure(readText(row, column))),
        Math.max(column.name.length / 2, findLongest(column.name.split(/(?<=[._])/))),
      );
      return { key: column.id, width: Math.min(most, Math.max(least, longest * characterRem + beside)) };
    }),
    { key: 'counts', width: 5 },
  ];
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
  const { type, desk, sheet, problems, analysis } = props;
  const { table, rows, columns, row, column, typing, press, copy, paste } = sheet;
  const { scroller, inSight, abovePx, belowPx } = useSight(sheet);
  const id = useId();
  useRowsFocus('Rules');
  const undecided = analysis?.impact.examples.undecided;
  const states = useMemo(() => toStates(rows, problems, analysis), [rows, problems, analysis]);
  const widths = useMemo(() => toWidths(columns, rows), [columns, rows]);
  const input = useCellInput(props);
  const actions = {
    onCell: useNewest(sheet.moveTo),
    onOpen: useNewest(typing.begin),
    onCode: useNewest(desk.openCode),
  };
  return (
    <div ref={scroller} className="scroll sheet">
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take keys is a grid
        role="grid"
        aria-label="Rules"
        aria-rowcount={rows.length + 3}
        aria-activedescendant={`${id}-cursor`}
        tabIndex={0}
        style={{ minWidth: `${widths.reduce((sum, { width }) => sum + width, 0)}rem` }}
        {...takesKeys}
        onKeyDown={press}
        onCopy={copy}
        onPaste={paste}
      >
        <colgroup>
          {widths.map(({ key, width }) => (
            <col key={key} style={{ width: `${width}rem` }} />
          ))}
        </colgroup>
        <SheetHead columns={columns} />
        <tbody>
          <Gap heightPx={abovePx} />
          {inSight.map(({ index }) => {
            const each = rows[index];
            return (
              <SheetLine
                key={each?.place ?? 'new'}
                typeId={type.id}
                row={each}
                index={index}
                columns={columns}
                cursor={index === row ? column : -1}
                cursorId={`${id}-cursor`}
                input={input?.row === index ? input : null}
                state={each && states.get(each.place)}
                {...actions}
              />
            );
          })}
          <Gap heightPx={belowPx} />
          <RestLine columns={columns.length} isEmpty={rows.length === 0} undecided={undecided} />
        </tbody>
      </table>
    </div>
  );
}

/** Says what becomes of the inputs that no rule decides, and of how many examples. */
function RestLine(props: { columns: number; isEmpty: boolean; undecided: number | undefined }) {
  const { columns, isEmpty, undecided } = props;
  const rest = isEmpty ? 'The classifier decides all' : 'Else the classifier decides';
  return (
    <tr>
      <td />
      <td className="name muted" title={rest}>
        {rest}
      </td>
      <td colSpan={columns - 1} className="muted hint" title={hint}>
        {hint}
      </td>
      <td className="number muted">
        {undecided !== undefined && <Figure says="Examples that no rule decides.">{number(undecided)}</Figure>}
      </td>
    </tr>
  );
}

function SheetHead({ columns }: { columns: readonly SheetColumn[] }) {
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
        <FigureHead says="Examples that the rule is the first to match, and how many of them have its outcome as their label.">
          Rows · agree
        </FigureHead>
      </tr>
    </thead>
  );
}

/** The state of a rule: its counts, and whether something is wrong with it. */
type RuleState = {
  counts: RulesAnalysis['impact']['rules'][number]['examples'] | undefined;
  hasProblem: boolean;
  warningCount: number;
};

function toStates(
  rows: readonly SheetRow[],
  problems: readonly RuleProblem[],
  analysis: RulesAnalysis | undefined,
): ReadonlyMap<number, RuleState> {
  const counts = new Map(analysis?.impact.rules.map(({ rule, examples }) => [rule, examples]));
  const wrong = new Set(problems.map(({ rule }) => rule));
  return new Map(
    rows.map(({ place }) => [
      place,
      { counts: counts.get(place), hasProblem: wrong.has(place), warningCount: countWarnings(analysis, place) },
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
  /** The column of the cursor; below 0 in the other lines. */
  cursor: number;
  cursorId: string;
  input: CellInput | null;
  state: RuleState | undefined;
  onCell(row: number, column: number): void;
  onOpen(row: number, column: number): void;
  onCode(place: number): void;
};

/** A rule, or the line in which a new one begins; drawn again only where something of it changed. */
const SheetLine = memo(function SheetLine(props: LineProps) {
  const { row, index, columns, cursor, state } = props;
  const firstField = columns.findIndex(({ kind }) => kind === 'field');
  return (
    <tr aria-selected={cursor >= 0} aria-rowindex={index + 2}>
      <td className="number muted">{row ? index + 1 : '+'}</td>
      {columns.map((column, place) => {
        if (column.kind !== 'field' || row?.cells !== null)
          return <SheetCell key={column.id} {...props} column={column} place={place} />;
        return place === firstField && <CodeCell key="code" {...props} row={row} first={firstField} />;
      })}
      <td className="number">{row && state && <Counts isEmpty={row.rule.condition.trim() === ''} {...state} />}</td>
    </tr>
  );
});

function Counts({ isEmpty, counts, hasProblem, warningCount }: RuleState & { isEmpty: boolean }) {
  return (
    <span className="row still">
      <RuleMark isEmpty={isEmpty} hasProblem={hasProblem} warningCount={warningCount} />
      {counts && (
        <Figure
          className="grow"
          says={`${count(counts.matched, 'example')}: ${counts.agrees} agree, ${counts.disagrees} have another label, ${counts.unlabelled} have none.`}
        >
          {number(counts.matched)} · {number(counts.agrees)}
        </Figure>
      )}
    </span>
  );
}

type CellProps = LineProps & { column: SheetColumn; place: number };

function SheetCell({ typeId, row, index, cursor, cursorId, input, column, place, onCell, onOpen }: CellProps) {
  const isEdited = input?.column === place;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid's own keys move the cursor
    <td
      {...(cursor === place ? { id: cursorId, 'data-cursor': true } : {})}
      className={isEdited ? `${column.kind} edited` : column.kind}
      onClick={() => !isEdited && onCell(index, place)}
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

/** Counts the warnings about the rule at a place of the draft. */
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
function CodeCell({ row, index, columns, cursor, cursorId, first, onCell, onCode }: CodeCellProps) {
  const isCursor = columns[cursor]?.kind === 'field';
  const code = showUnseen(row.rule.condition);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid's own keys move the cursor
    <td
      {...(isCursor ? { id: cursorId, 'data-cursor': true } : {})}
      colSpan={columns.filter(({ kind }) => kind === 'field').length}
      className="field"
      title={`Does not fit a row of cells; Enter opens it as code: ${code}`}
      onClick={() => onCell(index, first)}
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
  after: ReactNode;
};

/** Offers the acts on the whole sheet. */
export function SheetTools({ typeName, sheet, fields, onPaste, after }: SheetToolsProps) {
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
    <div className="row sheet-tools">
      <Select
        aria-label="Add a column for a field"
        placeholder="+ Field"
        w={150}
        searchable
        selectFirstOptionOnChange
        value={null}
        data={free.map(({ path }) => ({ value: printPath(path), label: showUnseen(path.join('.')) }))}
        disabled={free.length === 0}
        nothingFoundMessage="No field has this name"
        onChange={(id) => id !== null && sheet.addColumn(id)}
      />
      <Button onClick={onPaste}>Import…</Button>
      <Button disabled={rows.length === 0} onClick={save}>
        Excel
      </Button>
      <Button disabled={rows.length === 0} onClick={copy}>
        Copy
      </Button>
      <Button onClick={add}>New rule</Button>
      {after}
    </div>
  );
}
