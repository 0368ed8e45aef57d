import { Button } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { formatShare } from '../../../engine/measure/format-share.ts';
import { describeLanguages } from '../../../engine/text/languages.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Bars } from '../../parts/bars.tsx';
import { Figure } from '../../parts/figure.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { count, number, percent } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { changeQuery } from '../../state/route.ts';

const maxFields = 5;
const computingMs = 1_000;
const keptMs = 60_000;

/** How the newest decisions differ from the examples; read again while that is being found out. */
const useDrift = (type: DecisionType) =>
  useOperation(
    'metrics.drift',
    { params: { decision_type_id: type.id } },
    { refetchMs: (data) => (data?.state === 'computing' ? computingMs : keptMs) },
  );

/** Says whether inputs are unlike the examples, and what to do then; nothing before there are enough. */
export function DriftNote({ type }: { type: DecisionType }) {
  const drift = useDrift(type);
  if (drift.isError) return <ErrorNote error={drift.error} />;
  if (!drift.data || drift.data.computed_at === null) return null;
  const { items, decisions, comparable, unfamiliar, languages } = drift.data;
  const seen = languages.filter(
    (field) => field.decisions.length > 0 && describeLanguages(field.decisions) !== describeLanguages(field.examples),
  );
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
    <div className="note warn row still" role="status" aria-label="Drift">
      <TriangleAlert size={18} aria-hidden="true" />
      <div className="grow">
        <strong>
          Inputs have changed since the examples were collected
          {unfamiliar &&
            `: ${formatShare(unfamiliar.decisions_share)} are unlike them, ${formatShare(unfamiliar.examples_share)} expected`}
          .
        </strong>
        {now}
        <p>Evaluate may no longer hold: correct some of these, then train again.</p>
      </div>
      <Button onClick={() => changeQuery({ review: 'yes', page: '', record: '' })}>Show what needs review</Button>
    </div>
  );
}

/** The values of fields whose share has changed most, as bars with a mark where they were among the examples. */
export function ChangedFields({ type }: { type: DecisionType }) {
  const items = useDrift(type).data?.items ?? [];
  if (items.length === 0) return null;
  const changeOf = ({ decisions_share: now, examples_share: then }: (typeof items)[number]) => Math.abs(now - then);
  const shown = items.toSorted((a, b) => changeOf(b) - changeOf(a)).slice(0, maxFields);
  return (
    <Part
      title={items.length === 1 ? 'field has changed' : 'fields have changed'}
      tools={
        <Figure
          className="figure-large"
          says="Fields with other values among the newest decisions than among the examples."
        >
          {number(items.length)}
        </Figure>
      }
    >
      <div className="changed">
        <Bars
          says="The share of each value among the newest decisions; marks are its share of the examples."
          items={shown.map(({ field, condition, decisions_share: now, examples_share: then }) => ({
            key: field,
            name: showUnseen(condition),
            value: now,
            mark: then,
            text: `${percent(now)}, was ${percent(then)}`,
          }))}
        />
      </div>
    </Part>
  );
}
