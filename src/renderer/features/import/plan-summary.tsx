import { Part } from '../../parts/notes.tsx';
import { count } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import type { Mapping } from './use-mapping.ts';

const maxLines = 8;

/** Lists what would be imported, and what is left out and why, with line numbers. */
export function PlanSummary({ mapping }: { mapping: Mapping }) {
  const { plan } = mapping;
  const { examples, labelled, new_options: options, new_reason_codes: reasons, misfits, file } = plan;
  const sentences = [
    ...[plan.read_twice, plan.repeated, plan.alike].map(({ sentence }) => sentence),
    plan.known,
    ...file.report.account.slice(1),
  ].filter((each) => each !== null);
  return (
    <Part title="What happens">
      <ul className="stack tight">
        <li>
          <strong>{count(examples, 'example')}</strong> {examples === 1 ? 'is' : 'are'} added,{' '}
          {labelled.toLocaleString()} with a label.
        </li>
        {options.length > 0 && <li>New options: {options.map(isolate).join(', ')}.</li>}
        {listJoined(mapping).map((joined) => (
          <li key={joined}>{joined}</li>
        ))}
        {reasons.length > 0 && <li>New reason codes: {reasons.map(isolate).join(', ')}.</li>}
        {sentences.map((sentence) => (
          <li key={sentence}>{showUnseen(sentence)}.</li>
        ))}
        {plan.conflicts.sentence !== null && <li className="warn-text">{plan.conflicts.sentence}.</li>}
        {misfits.map(({ column, count: cells, line, message }) => (
          <li key={column} className="bad-text">
            {count(cells, 'value')} of {isolate(column)} {cells === 1 ? 'is' : 'are'} left empty: line {line},{' '}
            {showUnseen(message)}.
          </li>
        ))}
        {file.refused.count > 0 && (
          <li className="bad-text">
            {count(file.refused.count, 'line')} cannot be read: lines{' '}
            {file.refused.first.map(({ line, message }) => `${line}, ${showUnseen(message)}`).join('; ')}
            {file.refused.count > file.refused.first.length &&
              ` and ${file.refused.count - file.refused.first.length} more`}
            .
          </li>
        )}
      </ul>
    </Part>
  );
}

/** Says which labels become an option that is written otherwise. */
function listJoined({ labels }: Mapping): string[] {
  const joined = labels.flatMap(({ value, count: rows, target }) => {
    if (target.kind !== 'option' || target.option === value) return [];
    return [`“${isolate(value)}” (${count(rows, 'row')}) becomes “${isolate(target.option)}”.`];
  });
  const more = joined.length - maxLines;
  return more > 0 ? [...joined.slice(0, maxLines), `and ${count(more, 'more label')}.`] : joined;
}
