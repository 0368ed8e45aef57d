/** All rules as rows of one sheet, a column for each field: typed in like a spreadsheet. */
import { Button, Select } from '@mantine/core';
import type { RulesEffect } from '../../../engine/measured.ts';
import { nameSubject, printSubject } from '../../../engine/rules/days.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { toTsv } from '../../parts/grid/cells.ts';
import { type CellField, Grid } from '../../parts/grid/grid.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { count } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { useCommands } from '../../state/use-commands.ts';
import { listChoices, listFreeFields, type SheetField } from './sheet/sheet.ts';
import { SheetInput } from './sheet/sheet-input.tsx';
import { toLines } from './sheet/sheet-lines.ts';
import { useSheetColumns } from './sheet-columns.tsx';
import type { RulesDesk } from './use-rules.ts';
import type { Sheet } from './use-sheet.ts';

type SheetProps = {
  type: DecisionType;
  desk: RulesDesk;
  sheet: Sheet;
  problems: readonly RuleProblem[];
  analysis: RulesAnalysis | undefined;
  effect: RulesEffect | undefined;
};

/** The sheet, the line of a new rule last. */
export function RuleSheet(props: SheetProps) {
  const { type, sheet, problems, analysis, effect } = props;
  const { rows, cells, grid } = sheet;
  const currency = type.costs?.currency ?? null;
  const columns = useSheetColumns(sheet, { typeId: type.id, problems, analysis, effect, currency });
  return (
    <>
      <Grid
        label="Rules"
        handle={grid}
        columns={columns}
        count={rows.length + 2}
        rowAt={(index) => rows[index] ?? (index === rows.length ? 'new' : 'rest')}
        cursor={cells.cursor.row}
        cells={cells}
        field={toField(props)}
      />
      <p className="muted small hint">
        The first match decides. A cell takes &gt; 100, 50 .. 200, basic, not basic, mentions refund or empty. Then:
        “hint: basic” only teaches.
      </p>
    </>
  );
}

/** Makes the field of the cell that is typed in; null while there is none. */
function toField({ desk, sheet, analysis }: SheetProps): CellField | null {
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
  const { rows, columns, begin } = sheet;
  const free = listFreeFields(columns, fields);
  const said = `${count(rows.length, 'rule')} with their head copied: paste them into a spreadsheet.`;
  const copy = () =>
    void navigator.clipboard.writeText(toTsv(toLines(rows, columns))).then(() => notify({ kind: 'info', text: said }));
  const save = () => void saveWorkbook(typeName, sheet);
  useCommands('Create', [
    { id: 'add-rule', title: 'New rule', run: begin },
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
      <Button onClick={begin}>New rule</Button>
    </>
  );
}
