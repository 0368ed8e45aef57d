import { describeReading } from '../../../engine/import/report.ts';
import { describePairs } from '../../../engine/import/row-reader.ts';
import type { Sheet } from '../../../engine/import/sheet.ts';
import { Part } from '../../parts/notes.tsx';
import { count } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import type { Mapping } from './use-mapping.ts';

const maxLines = 8;

/** Lists what would be imported, and what is left out and why, with line numbers. */
export function PlanSummary({ mapping, sheet }: { mapping: Mapping; sheet: Sheet }) {
  const { plan } = mapping;
  const { rows, labelled, newOptions, misfits } = plan;
  return (
    <Part title="What happens">
      <ul className="stack tight">
        <li>
          <strong>{count(rows.length, 'example')}</strong> {rows.length === 1 ? 'is' : 'are'} added,{' '}
          {labelled.toLocaleString()} with a label.
        </li>
        {newOptions.length > 0 && <li>New options: {newOptions.map(isolate).join(', ')}.</li>}
        {listJoined(mapping).map((joined) => (
          <li key={joined}>{joined}</li>
        ))}
        {plan.newReasons.length > 0 && <li>New reason codes: {plan.newReasons.map(isolate).join(', ')}.</li>}
        {[...describePairs('repeated', plan.repeated), ...describePairs('alike', plan.alike)].map((sentence) => (
          <li key={sentence}>{sentence}.</li>
        ))}
        {describePairs('conflicts', plan.conflicts).map((sentence) => (
          <li key={sentence} className="warn-text">
            {sentence}.
          </li>
        ))}
        {[...misfits].map(([column, { refusal, count: cells }]) => (
          <li key={column} className="bad-text">
            {count(cells, 'value')} of {isolate(column)} {cells === 1 ? 'is' : 'are'} left empty: line {refusal.line},{' '}
            {showUnseen(refusal.message)}.
          </li>
        ))}
        {describeReading(sheet).map((sentence) => (
          <li key={sentence}>{showUnseen(sentence)}.</li>
        ))}
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

/** Says which labels become an option that is written otherwise. */
function listJoined({ labels, targets }: Mapping): string[] {
  const joined = labels.flatMap(({ value, count: rows }) => {
    const target = targets[value];
    if (target?.kind !== 'option' || target.option === value) return [];
    return [`“${isolate(value)}” (${count(rows, 'row')}) becomes “${isolate(target.option)}”.`];
  });
  const more = joined.length - maxLines;
  return more > 0 ? [...joined.slice(0, maxLines), `and ${count(more, 'more label')}.`] : joined;
}

function listLines(lines: readonly string[]): string {
  const shown = lines.slice(0, maxLines).join('; ');
  return lines.length > maxLines ? `lines ${shown} and ${lines.length - maxLines} more.` : `lines ${shown}.`;
}
