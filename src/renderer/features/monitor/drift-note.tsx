import { Button } from '@mantine/core';
import { describeLanguages } from '../../../engine/text/languages.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { count } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { changeQuery } from '../../state/route.ts';

const maxFields = 5;
const computingMs = 1_000;
const keptMs = 60_000;

/** Says whether inputs are unlike the examples, and which fields have other values; nothing before there are enough. */
export function DriftNote({ type }: { type: DecisionType }) {
  const drift = useOperation(
    'metrics.drift',
    { params: { decision_type_id: type.id } },
    { refetchMs: (data) => (data?.state === 'computing' ? computingMs : keptMs) },
  );
  if (drift.isError) return <ErrorNote error={drift.error} />;
  if (!drift.data || drift.data.computed_at === null) return null;
  const { items, decisions, comparable, unfamiliar, languages } = drift.data;
  const seen = languages.filter((field) => field.decisions.length > 0);
  const now = seen.map((field) => (
    <p key={field.field} className="muted">
      {showUnseen(field.field)} is in {describeLanguages(field.decisions)} now
      {field.examples.length > 0 && `, in ${describeLanguages(field.examples)} among the examples`}.
    </p>
  ));
  if (unfamiliar === null && !comparable) return now;
  if (items.length === 0 && unfamiliar === null) {
    return (
      <>
        <p className="muted">No field drift in the newest {count(decisions, 'decision')}.</p>
        {now}
      </>
    );
  }
  return (
    <div className="note warn stack tight" role="status" aria-label="Drift">
      <strong>The inputs have changed since the examples were collected.</strong>
      <ul>
        {unfamiliar && <li>{unfamiliar.sentence}</li>}
        {items.slice(0, maxFields).map(({ field, sentence }) => (
          <li key={field}>{showUnseen(sentence)}</li>
        ))}
        {items.length > maxFields && <li>and {count(items.length - maxFields, 'more field')}</li>}
      </ul>
      {now}
      <p className="row between">
        Evaluate may no longer hold: correct some of these, then train again.
        <Button onClick={() => changeQuery({ review: 'yes', page: '', record: '' })}>Show what needs review</Button>
      </p>
    </div>
  );
}
