import { count } from '../../parts/figures.ts';
import { isolate, showUnseen } from '../../parts/names.ts';
import { Part } from '../../parts/notes.tsx';
import type { Plan } from './plan.ts';
import type { Sheet } from './sheet.ts';

const maxLines = 8;

/** What would be imported, and what is left out and why, with line numbers. */
export function PlanSummary({ plan, sheet }: { plan: Plan; sheet: Sheet }) {
  const { rows, labelled, duplicates, conflicts, newOptions } = plan;
  return (
    <Part title="What happens">
      <ul className="stack tight">
        <li>
          <strong>{count(rows.length, 'example')}</strong> {rows.length === 1 ? 'is' : 'are'} added,{' '}
          {labelled.toLocaleString()} with a label.
        </li>
        {newOptions.length > 0 && <li>New options: {newOptions.map(isolate).join(', ')}.</li>}
        {plan.newReasons.length > 0 && <li>New reason codes: {plan.newReasons.map(isolate).join(', ')}.</li>}
        {duplicates.length > 0 && (
          <li>
            {count(duplicates.length, 'duplicate row')} left out:{' '}
            {listLines(duplicates.map(({ line, of }) => `${line} (as ${of})`))}
          </li>
        )}
        {conflicts.length > 0 && (
          <li className="warn-text">
            {count(conflicts.length, 'row')} with the same input as another but another label:{' '}
            {listLines(conflicts.map((conflict) => `${conflict.line} (and ${conflict.with})`))}
          </li>
        )}
        {sheet.refused.length > 0 && (
          <li className="bad-text">
            {count(sheet.refused.length, 'line')} cannot be read:{' '}
            {listLines(sheet.refused.map(({ line, message }) => `${line}, ${showUnseen(message)}`))}
          </li>
        )}
      </ul>
    </Part>
  );
}

function listLines(lines: readonly string[]): string {
  const shown = lines.slice(0, maxLines).join('; ');
  return lines.length > maxLines ? `lines ${shown} and ${lines.length - maxLines} more.` : `lines ${shown}.`;
}
