/** Second readings: how far readers agree, the start of one, the reason beside a label, the history of a row. */

import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { OutputOf } from '../../../../server/contract/operations.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { whenComposed } from '../../../commands/keys.ts';
import { useRested } from '../../../parts/explained/why.tsx';
import { Figure } from '../../../parts/figure.tsx';
import { Moment, Part } from '../../../parts/notes.tsx';
import { OptionName } from '../../../parts/option.tsx';
import { count, decimal, number } from '../../../parts/text/figures.ts';
import { showUnseen } from '../../../parts/text/names.ts';
import { notify, notifyFailure } from '../../../state/notices.tsx';
import { useChange, useOperation } from '../../../state/queries.ts';

const drawnPercent = 10;
const maxPairs = 5;
const maxOptions = 5;

/** Chooses a tenth of the labelled examples for a second reading, where not as many were read twice. */
export function DrawButton({ type, onDrawn }: { type: DecisionType; onDrawn(): void }) {
  const draw = useChange('second_readings.draw');
  const input = { params: { decision_type_id: type.id }, body: { share: drawnPercent / 100 } };
  const onSuccess = ({ drawn, waiting }: OutputOf<'second_readings.draw'>) => {
    const text =
      drawn === 0
        ? `${drawnPercent}% of the labels were chosen already; ${number(waiting)} wait.`
        : `${count(drawn, 'example')} wait for a second reader, who does not see the labels.`;
    notify({ kind: 'info', text });
    onDrawn();
  };
  return (
    <Button loading={draw.isPending} onClick={() => draw.mutate(input, { onSuccess, onError: notifyFailure })}>
      Second reading of {drawnPercent}%
    </Button>
  );
}

/** How far two readers agree, by pair and by option; what to do where nobody has read twice. */
export function ReaderAgreement({ type }: { type: DecisionType }) {
  const { data } = useOperation('agreement.get', { params: { decision_type_id: type.id } });
  if (data === undefined) return null;
  if (data.share === null) {
    return (
      <p>
        A second reader labels a share of the examples again without seeing the labels. How far the two agree is the
        most that a policy can be asked for. Each reader gives their name under Settings, Look.
      </p>
    );
  }
  return (
    <section aria-label="Agreement of readers" className="done-here stack tight">
      <p>{data.sentence}</p>
      <ul>
        {data.pairs.slice(0, maxPairs).map(({ readers, rows, kappa }) => (
          <li key={readers.join('\n')} className="row still between">
            <span className="words">{readers.map(showUnseen).join(' and ')}</span>
            <Figure
              className="number"
              says="Cohen's kappa: agreement beyond luck, 1 is always, 0 that of guesses; with its 95% range."
            >
              {kappa === null
                ? count(rows, 'row')
                : `${decimal(kappa.value, 2)} (${decimal(kappa.low, 2)} to ${decimal(kappa.high, 2)}), ${count(rows, 'row')}`}
            </Figure>
          </li>
        ))}
      </ul>
      <ul>
        {data.by_option
          .filter(({ rows, agreed }) => agreed < rows)
          .slice(0, maxOptions)
          .map(({ option, rows, agreed }) => (
            <li key={option} className="row between">
              <OptionName typeId={type.id} option={option} />
              <Figure
                className="number"
                says="Examples that a reader gave this label, and on how many the others agree."
              >
                {number(agreed)} of {number(rows)} agreed
              </Figure>
            </li>
          ))}
      </ul>
    </section>
  );
}

type ReasonFieldProps = {
  label: string;
  onReason(reason: string): void;
  /** Enter and Escape lead back to where keys label. */
  onLeave(): void;
};

/** A sentence that is kept with the label of this row. */
export function ReasonField({ label, onReason, onLeave }: ReasonFieldProps) {
  const [text, setText] = useState('');
  return (
    <TextInput
      label={label}
      size="xs"
      maxLength={2_000}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onReason(event.currentTarget.value);
      }}
      onKeyDown={whenComposed(({ key }) => (key === 'Escape' || key === 'Enter') && onLeave())}
    />
  );
}

const kinds = { label: '', second_reading: 'second reading', settled: 'settled' } as const;

/** Every label of a row with who gave it; nothing for one that only has the label that it came with. */
export function LabelHistory({ type, exampleId }: { type: DecisionType; exampleId: string }) {
  const isRested = useRested(exampleId);
  const params = { decision_type_id: type.id, example_id: exampleId };
  const { data } = useOperation('examples.labels', { params }, { enabled: isRested });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Part title="Its labels">
      <ul className="stack tight">
        {data.items.map(({ kind, decision, reader, note, suggested, given_at }) => (
          <li key={`${given_at} ${kind} ${decision}`} className="stack tight">
            <div className="row between">
              {decision === null ? <span>taken away</span> : <OptionName typeId={type.id} option={decision} />}
              <span className="muted">
                <Moment iso={given_at} />
              </span>
            </div>
            <p className="muted wrap">
              {[
                showUnseen(reader ?? 'No name'),
                kinds[kind],
                suggested !== null && suggested !== decision ? `suggested was ${showUnseen(suggested)}` : '',
                note ?? '',
              ]
                .filter((text) => text !== '')
                .join(' · ')}
            </p>
          </li>
        ))}
      </ul>
    </Part>
  );
}
