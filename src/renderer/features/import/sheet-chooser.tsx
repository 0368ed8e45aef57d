import { Group, NativeSelect } from '@mantine/core';
import type { Sheet, SheetChoice } from '../../../engine/import/sheet.ts';
import { isolate } from '../../parts/text/names.ts';

/** Lets another sheet of a workbook be read, or another line name the columns. */
export function SheetChooser({ sheet, onChoose }: { sheet: Sheet; onChoose(choice: SheetChoice): void }) {
  const { workbook, header } = sheet;
  if (header === null || (workbook === null && header.line === header.first[0]?.line)) return null;
  const lines = header.first.map(({ line, text }) => ({ value: String(line), label: `${line}: ${text}` }));
  return (
    <Group className="part" align="end">
      {workbook && (
        <NativeSelect
          label={`Sheet, of ${workbook.sheets.length}`}
          value={workbook.sheet}
          data={workbook.sheets.map((name) => ({ value: name, label: isolate(name) }))}
          onChange={(event) => onChoose({ sheet: event.currentTarget.value })}
        />
      )}
      <NativeSelect
        label="Line with the names of the columns"
        maw="26rem"
        value={String(header.line)}
        data={lines}
        onChange={(event) => onChoose({ sheet: workbook?.sheet, headerLine: Number(event.currentTarget.value) })}
      />
    </Group>
  );
}
