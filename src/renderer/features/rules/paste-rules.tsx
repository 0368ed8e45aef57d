import { Button, Modal, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { limits } from '../../../engine/limits.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { readPasted, type SheetField } from './sheet.ts';
import type { RulesDesk } from './use-rules.ts';

const maxListed = 50;
const noLines: string[][] = [];

/** The lines of a text from a spreadsheet, cut into cells; the reader of tables is loaded when it is needed. */
function useLines(text: string): { lines: string[][]; error: Error | null } {
  const { data, error } = useQuery({
    retry: false,
    queryKey: ['pasted rules', text],
    queryFn: async () => {
      const { parse } = await import('csv-parse/browser/esm/sync');
      return parse(text, { delimiter: '\t', relax_column_count: true, relax_quotes: true, bom: true });
    },
  });
  return { lines: data ?? noLines, error };
}

type PasteRulesProps = {
  /** null while nothing is pasted. */
  text: string | null;
  onText(text: string | null): void;
  desk: RulesDesk;
  fields: readonly SheetField[];
};

/** Shows what rules pasted lines would make, and what of them is not understood, before anything changes. */
export function PasteRules({ text, onText, desk, fields }: PasteRulesProps) {
  const { draft, rules, addRules } = desk;
  const { lines, error } = useLines(text ?? '');
  const read = useMemo(() => readPasted(lines, fields, draft), [lines, fields, draft]);
  const made = read.rules.slice(0, Math.max(0, limits.maxRules - rules.length));
  const leftOut = read.rules.length - made.length;
  const close = () => onText(null);
  const add = () => {
    addRules(made);
    close();
  };
  const isGiven = (text ?? '').trim() !== '';
  return (
    <Modal
      opened={text !== null}
      onClose={close}
      size="xl"
      title="Rules from a spreadsheet"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className="stack">
        <Textarea
          data-autofocus
          label="Lines copied in a spreadsheet"
          description="The first line names the columns: fields, “Then”, and if you like “Rule” and “Reason”."
          minRows={4}
          maxRows={10}
          autosize
          value={text ?? ''}
          onChange={(event) => onText(event.currentTarget.value)}
        />
        {error && <ErrorNote error={error} />}
        {isGiven && !error && read.problems.length > 0 && (
          <div className="note warn" role="alert">
            <ul aria-label="Not understood">
              {read.problems.slice(0, maxListed).map((problem) => (
                <li key={problem}>{showUnseen(problem)}</li>
              ))}
              {read.problems.length > maxListed && <li>and {read.problems.length - maxListed} more</li>}
            </ul>
          </div>
        )}
        {leftOut > 0 && (
          <p className="note">
            A type has at most {limits.maxRules} rules: the last {leftOut} are left out.
          </p>
        )}
        {made.length > 0 && (
          <PlainTable label="Rules that will be added" heads={['Rule', 'Condition', 'Then', 'Reason']}>
            {made.slice(0, maxListed).map(({ name, condition, then, reason_code }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
              <tr key={index}>
                <td className="wrap">{showUnseen(name)}</td>
                <td className="mono wrap">{showUnseen(condition)}</td>
                <td className="wrap">{showUnseen(then)}</td>
                <td className="wrap">{showUnseen(reason_code ?? '')}</td>
              </tr>
            ))}
          </PlainTable>
        )}
        <div className="row">
          <Button disabled={made.length === 0} onClick={add}>
            Add {count(made.length, 'rule')}
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </div>
      </div>
    </Modal>
  );
}
