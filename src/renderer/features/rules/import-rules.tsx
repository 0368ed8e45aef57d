import { Button, FileButton, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Rule } from '../../../engine/domain/definition.ts';
import { limits } from '../../../engine/limits.ts';
import { FormDialog } from '../../parts/form.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { type GivenLine, type GivenRules, readLinesOfText, readPasted, readWhole } from './sheet/read-lines.ts';
import type { SheetField } from './sheet/sheet.ts';
import type { RulesDesk } from './use-rules.ts';
import type { Sheet } from './use-sheet.ts';

const maxListed = 50;
/** Twice what the most and longest rules take, unpacked: read at once, without anything to wait for or to cancel. */
const maxFileBytes = 2_000_000;
/** Lines copied in a spreadsheet, or a workbook. */
export type GivenSheet = string | File;

/** The lines of a workbook's sheet of rules, else of its fullest; what reads them is loaded when it is needed. */
async function readLinesOfFile(file: File): Promise<GivenLine[]> {
  const { readSheets } = await import('../../../engine/import/read-file.ts');
  const sheets = await readSheets(new Uint8Array(await file.arrayBuffer()), maxFileBytes);
  const { lines = [] } = sheets.find(({ name }) => name === 'Rules') ?? sheets[0] ?? {};
  return lines.map(({ line, cells }) => ({ line, cells: cells.map((cell) => String(cell ?? '')) }));
}

const nothing: GivenRules = { rules: [], skipped: 0, problems: [] };

type ImportRulesProps = {
  given: GivenSheet;
  onGiven(given: GivenSheet | null): void;
  desk: RulesDesk;
  sheet: Sheet;
  fields: readonly SheetField[];
};

/** Reads what is given as rules: pasted ones are added, those of a file replace all. */
function useGiven({ given, desk, sheet, fields }: ImportRulesProps) {
  const isFile = given instanceof File;
  const key = isFile ? [given.name, given.size, given.lastModified] : [given];
  const { data, error } = useQuery({
    enabled: given !== '',
    retry: false,
    queryKey: ['given rules', ...key],
    queryFn: () => (given instanceof File ? readLinesOfFile(given) : readLinesOfText(given)),
  });
  const { draft, rules } = desk;
  const { rows, columns } = sheet;
  const read = useMemo(() => {
    if (!data) return nothing;
    return isFile ? readWhole(data, { rows, columns }, { fields, draft }) : readPasted(data, { fields, draft });
  }, [data, isFile, rows, columns, fields, draft]);
  const room = isFile ? limits.maxRules : Math.max(0, limits.maxRules - rules.length);
  const leftOut = Math.max(0, read.rules.length - room);
  const { problems, skipped } = read;
  return { isFile, error, problems, skipped, rules: read.rules.slice(0, room), leftOut };
}

/** Shows what rules pasted lines or a file would make, and what is not understood, before anything changes. */
export function ImportRules(props: ImportRulesProps) {
  const { given, onGiven, desk } = props;
  const { isFile, error, problems, skipped, rules, leftOut } = useGiven(props);
  const lines = rules.length + skipped + leftOut;
  const close = () => onGiven(null);
  const take = () => {
    if (isFile) desk.replaceRules(rules);
    else desk.addRules(rules);
    close();
  };
  const isRefused = rules.length === 0 || (isFile && problems.length + leftOut > 0);
  return (
    <FormDialog
      title="Rules from a spreadsheet"
      size="xl"
      act={
        isFile && desk.rules.length > 0
          ? `Replace ${count(desk.rules.length, 'rule')} by these ${rules.length}`
          : rules.length < lines
            ? `Add ${rules.length} of ${lines} rules`
            : `Add ${count(rules.length, 'rule')}`
      }
      disabled={isRefused}
      error={error}
      onSubmit={take}
      onClose={close}
    >
      <Source given={given} onGiven={onGiven} />
      {problems.length > 0 && (
        <div className="note warn" role="alert">
          {isFile && <p>The rules stay as they are until every cell of the file can be read:</p>}
          <ul aria-label="Not understood">
            {problems.slice(0, maxListed).map((problem) => (
              <li key={problem}>{showUnseen(problem)}</li>
            ))}
            {problems.length > maxListed && <li>and {problems.length - maxListed} more</li>}
          </ul>
        </div>
      )}
      {!isFile && skipped > 0 && rules.length > 0 && (
        <p className="note warn" role="status">
          {count(skipped, 'line')} will not be added: correct what is named above, or add the others without.
        </p>
      )}
      {leftOut > 0 && (
        <p className="note">
          A type has at most {limits.maxRules} rules: the last {leftOut} are too many.
        </p>
      )}
      {!isRefused && <GivenTable rules={rules} />}
    </FormDialog>
  );
}

/** Where the rules come from: the clipboard, or a file. */
function Source({ given, onGiven }: { given: GivenSheet; onGiven(given: GivenSheet): void }) {
  return (
    <>
      {typeof given === 'string' ? (
        <Textarea
          data-autofocus
          label="Lines copied in a spreadsheet, to be added"
          description="The first line names the columns: fields, “Then” or another name above the options, and if you like “Rule”, “Reason” and “Code”."
          minRows={4}
          maxRows={10}
          autosize
          value={given}
          onChange={(event) => onGiven(event.currentTarget.value)}
        />
      ) : (
        <p className="wrap">
          The rules of <strong>{isolate(given.name)}</strong> take the place of all rules here.
        </p>
      )}
      <div className="row">
        <FileButton
          accept=".xlsx"
          onChange={(file) => file && onGiven(file)}
          inputProps={{ 'aria-label': 'Excel file with rules' }}
        >
          {(props) => (
            <Button {...props}>{typeof given === 'string' ? 'Choose an Excel file…' : 'Choose another file…'}</Button>
          )}
        </FileButton>
        <span className="muted">A file replaces all rules. “Excel” above the sheet saves one in this form.</span>
      </div>
    </>
  );
}

function GivenTable({ rules }: { rules: readonly Rule[] }) {
  return (
    <PlainTable label="Rules that will be added" heads={['Rule', 'Condition', 'Then', 'Reason']}>
      {rules.slice(0, maxListed).map(({ name, condition, then, reason_code }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <tr key={index}>
          <td className="wrap">{showUnseen(name)}</td>
          <td className="mono wrap">{showUnseen(condition)}</td>
          <td className="wrap">{showUnseen(then)}</td>
          <td className="wrap">{showUnseen(reason_code ?? '')}</td>
        </tr>
      ))}
    </PlainTable>
  );
}
