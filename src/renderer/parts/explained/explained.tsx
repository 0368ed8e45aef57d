import './explained.css';
import { Button } from '@mantine/core';
import { Fragment, type ReactNode, useRef, useState } from 'react';
import type { Reading } from '../../../engine/domain/definition.ts';
import { toReadableText } from '../../../engine/features/readable-text.ts';
import type { Explanation } from '../../../server/contract/deciding/decisions.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { notify, notifyFailure } from '../../state/notices.tsx';
import { useOperation } from '../../state/queries.ts';
import { Figure } from '../figure.tsx';
import { WholeInput } from '../input-view.tsx';
import { Busy, ErrorNote } from '../notes.tsx';
import { OptionName } from '../option.tsx';
import { percent } from '../text/figures.ts';
import { flattenInput, shorten, summariseInput, valueText } from '../text/inputs.ts';
import { isolate, showUnseen } from '../text/names.ts';
import { RuleTraces } from './rule-trace.tsx';
import { describeCauses, FieldWeights, listCauses, toPoints, Weights } from './weights.tsx';

type Flip = Explanation['flips'][number];
type Input = Readonly<Record<string, unknown>>;

const maxWords = 10;
/** Contributions that round to nothing are left out. */
const minWeight = 0.0005;
const maxWordLength = 24;
const maxValueLength = 60;

const copyText = (text: string) =>
  navigator.clipboard.writeText(text).then(() => notify({ kind: 'info', text: 'Copied.' }), notifyFailure);

type ExplainedProps = {
  type: DecisionType;
  explanation: Explanation;
  input: Input;
  decided: string | undefined;
  hasLearned?: boolean | undefined;
};

/** An explanation: a sentence, what weighed in, in points, what would change the decision, and the nearest examples. */
export function Explained({ type, explanation, input, decided, hasLearned = false }: ExplainedProps) {
  const { trace, flips, nearest, note } = explanation;
  const page = useRef<HTMLDivElement>(null);
  const causes = listCauses(explanation);
  const sentence = describeCauses(explanation, causes, type.active_version.readings);
  return (
    <div ref={page} className="stack explained">
      <header className="printed">
        <h2>{showUnseen(type.name)}</h2>
        <p className="muted">As {explanation.policy_version} decides.</p>
      </header>
      <div className="row between">
        <strong className="wrap">{sentence}</strong>
        <span className="row">
          <Button size="compact-xs" onClick={() => void copyText(page.current?.innerText ?? '')}>
            Copy
          </Button>
          <Button size="compact-xs" onClick={() => window.print()}>
            Print
          </Button>
        </span>
      </div>
      <section className="printed" aria-label="The input">
        <h3>The input</h3>
        <WholeInput input={input} readings={type.active_version.readings} />
      </section>
      {decided !== undefined && <Now {...{ type, explanation, decided, hasLearned }} />}
      {note !== null && <p className="note">{note}</p>}
      {decided !== undefined && causes.length > 0 && (
        <Section title="What weighed in">
          <FieldWeights causes={causes} readings={type.active_version.readings} />
        </Section>
      )}
      <Words words={explanation.words} input={input} />
      <Section title="What would change it">
        {flips.length === 0 ? (
          <p className="muted">No small change to its fields or words leads to another decision.</p>
        ) : (
          <ul className="stack tight">
            {flips.map((flip) => (
              <li key={JSON.stringify(flip.changes)} className="wrap">
                <FlipSentence type={type} flip={flip} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      {decided !== undefined && trace !== null && trace.rules.length > 0 && (
        <Section title="Rules">
          <RuleTraces rules={trace.rules} />
        </Section>
      )}
      {nearest.length > 0 && (
        <Section title="Labelled examples most like it">
          <ul className="nearest">
            {nearest.map((near) => (
              <Near key={near.example_id} type={type} near={near} />
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

type NowProps = { type: DecisionType; explanation: Explanation; decided: string; hasLearned: boolean };

/** Shows what its release, or the deployed policy now, decides of something that was decided before. */
function Now({ type, explanation, decided, hasLearned }: NowProps) {
  const { decision, confidence, policy_version, release } = explanation;
  return (
    <div className={decision === decided ? 'muted' : 'note warn'}>
      {release === null ? 'The deployed policy' : `Release ${release} with policy`} {policy_version} decides{' '}
      <OptionName typeId={type.id} option={decision} /> (
      <Confidence value={confidence} />){decision === decided ? '.' : ', which is not what was decided here.'}
      {decision !== decided && hasLearned && ' It has learned from this row since it was measured.'}
    </div>
  );
}

function Confidence({ value }: { value: number }) {
  return <Figure says="How sure the policy would be of this decision.">{percent(value)}</Figure>;
}

function FlipSentence({ type, flip }: { type: DecisionType; flip: Flip }) {
  return (
    <>
      {flip.changes.map((change, index) => (
        <Fragment key={change.field}>
          {index === 0 ? '' : ' and '}
          <ChangeWords change={change} isFirst={index === 0} reading={type.active_version.readings[change.field]} />
        </Fragment>
      ))}
      , it would be <OptionName typeId={type.id} option={flip.decision} /> (
      <Confidence value={flip.confidence} />){flip.escalate ? ', and somebody should look at it.' : '.'}
    </>
  );
}

type ChangeProps = { change: Flip['changes'][number]; isFirst: boolean; reading: Reading | undefined };

/** "With amount 300 instead of 1,200", or "Without “urgent” in message". */
function ChangeWords({ change, isFirst, reading }: ChangeProps) {
  const { field, from, to, removed } = change;
  if (removed && typeof from === 'string') {
    const words = removed.map(
      ({ start, end }) => `“${isolate(shorten(toReadableText(from.slice(start, end)), maxValueLength))}”`,
    );
    return (
      <>
        {isFirst ? 'Without' : 'without'} {words.join(', ')} in <strong>{isolate(field)}</strong>
      </>
    );
  }
  return (
    <>
      {isFirst ? 'With' : 'with'} <strong>{isolate(field)}</strong> {describeValue(to, reading)}{' '}
      {from === null ? 'where there is no value' : `instead of ${describeValue(from, reading)}`}
    </>
  );
}

function describeValue(value: unknown, reading: Reading | undefined): string {
  const text = shorten(valueText(value, reading), maxValueLength);
  return text.trim() === '' ? 'empty' : isolate(text);
}

/** The heaviest stretches of the texts; what a text no longer holds is left out. */
function Words({ words, input }: { words: Explanation['words']; input: Input }) {
  const texts = new Map(flattenInput(input).map(({ path, value }) => [path, value]));
  const heavy = words.slice(0, maxWords).flatMap(({ field, start, end, weight, estimated }) => {
    const text = texts.get(field);
    const name =
      typeof text === 'string' ? showUnseen(shorten(toReadableText(text.slice(start, end)), maxWordLength)) : '';
    return name === '' || Math.abs(weight) < minWeight ? [] : [{ key: `${field} ${start}`, name, weight, estimated }];
  });
  if (heavy.length === 0) return null;
  return (
    <Section title="Words that weighed in">
      <Weights
        items={heavy}
        says="How many points less (+) or more (−) likely the decision is without these words."
        write={toPoints}
      />
      <p className="muted">
        Points: with + it speaks for the decision, with − against it.
        {words.some(({ estimated }) => estimated) &&
          ` The text is long, so ${heavy.every(({ estimated }) => estimated) ? 'these' : 'the smaller weights'} are estimates.`}
      </p>
    </Section>
  );
}

/** One of the examples most like the input; opened, it shows the whole row. */
function Near({ type, near }: { type: DecisionType; near: Explanation['nearest'][number] }) {
  const [isOpen, setIsOpen] = useState(false);
  const params = { decision_type_id: type.id, example_id: near.example_id };
  const example = useOperation('examples.get', { params }, { staleMs: 60_000 });
  const input = example.data?.input_payload;
  return (
    <li>
      <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <OptionName typeId={type.id} option={example.data ? example.data.expected_decision : near.decision} />
        <span className="clip muted" title={input && summariseInput(input, type.active_version.readings)}>
          {input ? summariseInput(input, type.active_version.readings) : '…'}
        </span>
        <span className="number muted" title="How alike the inputs are; 100% is the same.">
          {percent(near.similarity)}
        </span>
      </button>
      {isOpen && example.isPending && <Busy>Loading the example…</Busy>}
      {isOpen && example.isError && <ErrorNote error={example.error} />}
      {isOpen && input && (
        <div className="stack tight whole">
          <WholeInput input={input} readings={type.active_version.readings} />
        </div>
      )}
    </li>
  );
}
