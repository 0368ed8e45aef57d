/** How a file was read, to be chosen otherwise: the encoding where nothing tells it, sheet, header, separator. */
import { NativeSelect, Radio } from '@mantine/core';
import type { ReactNode } from 'react';
import { separators } from '../../../engine/import/tables/find-separator.ts';
import type { ImportPlan } from '../../../server/contract/examples/import-plan.ts';
import type { ImportChoice } from '../../../server/contract/examples/imports.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';

type ReadingProps = { file: ImportPlan['file']; onChoose(choice: ImportChoice): void };
type ReadingChooserProps = ReadingProps & { name: ReactNode };

/** Shows in what encoding a text could be and how it would read. */
function EncodingQuestion({ file, onChoose }: ReadingProps) {
  const choices = file.report.encodings;
  if (choices.length === 0) return null;
  return (
    <Radio.Group
      className="part"
      label="Which of these reads right?"
      description="The file does not say how its letters are written, and is too short to tell."
      value={null}
      onChange={(encoding) => onChoose({ encoding: String(encoding) })}
    >
      {choices.map(({ encoding, example }) => (
        <Radio key={encoding} mt="xs" value={encoding} label={`${showUnseen(example)} (${encoding})`} />
      ))}
    </Radio.Group>
  );
}

const separatorChoices = [
  ...separators.map(({ sign, name }) => ({ value: sign, label: name })),
  { value: '', label: 'none, one column' },
];
const quoteChoices = [
  { value: '"', label: '"' },
  { value: "'", label: "'" },
  { value: '', label: 'none' },
];
const usualEncodings = [
  'utf-8',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'iso-8859-2',
  'koi8-r',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
  'euc-kr',
];

/** The choices of a list with the one that was taken, which may be an unusual one. */
const withTaken = (choices: { value: string; label: string }[], taken: string) =>
  choices.some(({ value }) => value === taken) ? choices : [...choices, { value: taken, label: showUnseen(taken) }];

/** Lets a file be read otherwise than it was: another sheet, header, separator or encoding; `name` stands before. */
export function ReadingChooser({ file, onChoose, name }: ReadingChooserProps) {
  const { workbook, header, report } = file;
  const { encoding, delimiter, quote } = report;
  const lines = header?.first.map(({ line, text }) => ({ value: String(line), label: `${line}: ${text}` })) ?? [];
  const encodings = usualEncodings.map((value) => ({ value, label: value }));
  return (
    <>
      <EncodingQuestion file={file} onChoose={onChoose} />
      <div className="part row">
        {name}
        {workbook && (
          <NativeSelect
            label={`Sheet (${workbook.sheets.length})`}
            value={workbook.sheet}
            data={workbook.sheets.map((name) => ({
              value: name,
              label: workbook.hidden.includes(name) ? `${isolate(name)} (hidden)` : isolate(name),
            }))}
            onChange={(event) => onChoose({ sheet: event.currentTarget.value })}
          />
        )}
        {header && (
          <NativeSelect
            label="Header line"
            className="header-line"
            value={String(header.line)}
            data={[{ value: '0', label: 'none' }, ...lines]}
            onChange={(event) => onChoose({ header_line: Number(event.currentTarget.value) })}
          />
        )}
        {delimiter !== null && (
          <NativeSelect
            label="Delimiter"
            value={delimiter}
            data={withTaken(separatorChoices, delimiter)}
            onChange={(event) => onChoose({ delimiter: event.currentTarget.value || 'none' })}
          />
        )}
        {quote !== null && (
          <NativeSelect
            label="Quote"
            value={quote}
            data={quoteChoices}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              onChoose({ quote: chosen === '"' || chosen === "'" ? chosen : 'none' });
            }}
          />
        )}
        {encoding !== null && (
          <NativeSelect
            label="Encoding"
            value={encoding}
            data={withTaken(encodings, encoding)}
            onChange={(event) => onChoose({ encoding: event.currentTarget.value })}
          />
        )}
      </div>
    </>
  );
}
