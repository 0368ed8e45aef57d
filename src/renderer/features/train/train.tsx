import './train.css';
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Readiness } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Bars } from '../../parts/bars.tsx';
import { PromiseState } from '../../parts/explained/promise-state.tsx';
import { useTraining } from '../../parts/hooks/use-training.ts';
import { Busy, EmptyState, ErrorNote, Part } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useChange } from '../../state/queries.ts';
import { formatRoute, goTo } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { TrainingOptions } from './training-options.tsx';
import { TrainingProgress } from './training-progress.tsx';

/** Whether there are enough examples, the start of a training, its progress and its result. */
export function Train({ type }: { type: DecisionType }) {
  const training = useTraining(type);
  const { newest, settings, change, readiness, isRunning, isPossible, begin } = training;
  useCommands('Training', [
    { id: 'train', title: 'Start training', keys: 'Mod+Enter', inFields: true, enabled: isPossible, run: begin },
  ]);
  return (
    <Place
      id="train"
      title="Train"
      cards
      tools={
        <Button variant="filled" disabled={!isPossible} loading={training.isStarting} onClick={begin}>
          Start training
        </Button>
      }
      beside={
        <Pane title="Readiness" head={readiness.data && <ReadyTag ready={readiness.data.ready} />}>
          {readiness.isPending && <Busy>Counting labelled examples…</Busy>}
          {readiness.isError && <ErrorNote error={readiness.error} retry={() => void readiness.refetch()} />}
          {readiness.data && <ReadinessPart type={type} readiness={readiness.data} />}
        </Pane>
      }
    >
      {training.error && <ErrorNote error={training.error} />}
      {newest ? (
        <TrainingProgress key={newest.id} type={type} policy={newest} />
      ) : (
        <EmptyState title="Nothing has been trained yet">
          A training learns from your labelled examples, tests itself on a fifth of them that it has not seen, and makes
          a policy that decides. A small project takes seconds.
        </EmptyState>
      )}
      <div className="pair">
        <TrainingOptions
          typeId={type.id}
          settings={settings}
          hasRules={type.active_version.hard_rules.some(({ hint }) => !hint)}
          onChange={change}
        />
        <Part
          title="Error limit"
          tools={<Button onClick={() => goTo({ page: 'type', id: type.id, place: 'evaluate' })}>Promise…</Button>}
        >
          <div className="stack tight">
            <PromiseState promise={type.declared_promise} />
            <p className="muted">
              Each new policy is checked against it on unseen examples and automates as much as it allows. One that
              cannot keep it waits under Deploy.
            </p>
          </div>
        </Part>
        {!isRunning && <RulesAlone type={type} />}
      </div>
    </Place>
  );
}

function ReadyTag({ ready }: { ready: boolean }) {
  return <span className={ready ? 'tag good' : 'tag warn'}>{ready ? 'ready' : 'not ready'}</span>;
}

/** A policy without a training, for types that rules decide. */
function RulesAlone({ type }: { type: DecisionType }) {
  const make = useChange('policies.create');
  const rest = type.fallback_option;
  const missing = type.active_version.hard_rules.every(({ hint }) => hint)
    ? 'It has no rules yet.'
    : rest === null
      ? 'Choose a fallback option under Define first: what no rule decides goes there.'
      : null;
  return (
    <Part title="Rules alone">
      <div className="stack">
        {make.error && <ErrorNote error={make.error} />}
        <p className="muted">
          A type whose rules decide everything needs no examples.{' '}
          {missing ?? `What no rule decides goes to “${isolate(rest ?? '')}”.`}
        </p>
        <Button
          disabled={missing !== null}
          loading={make.isPending}
          onClick={() => make.mutate({ params: { decision_type_id: type.id }, body: { kind: 'rules_only' } })}
        >
          Make a policy of rules alone
        </Button>
      </div>
    </Part>
  );
}

const maxListedOptions = 12;

function ReadinessPart({ type, readiness }: { type: DecisionType; readiness: Readiness }) {
  const { ready, options, per_option, left_to_rules, min_per_option, never_alone, issues } = readiness;
  const colourOf = useOptionColours(type.id);
  const [isWhole, setIsWhole] = useState(false);
  const countOf = (option: string) => per_option[option] ?? 0;
  const ordered = [...options].sort((a, b) => countOf(a) - countOf(b));
  const shown = isWhole ? ordered : ordered.slice(0, maxListedOptions);
  return (
    <div className="part stack">
      {issues.length > 0 && (
        <div className="note warn stack tight">
          {issues.slice(0, maxListedOptions).map((issue) => (
            <p key={issue}>{showUnseen(issue)}</p>
          ))}
          {issues.length > maxListedOptions && <p>And {number(issues.length - maxListedOptions)} more.</p>}
          <p>
            <a href={formatRoute({ page: 'type', id: type.id, place: 'examples' })}>Add or label examples</a>
          </p>
        </div>
      )}
      <p className="muted">
        {number(readiness.labelled_examples)} of {count(readiness.total_examples, 'example')} have a label.{' '}
        {ready && never_alone.sentence}
        {readiness.hinted > 0 && ` Hints teach ${count(readiness.hinted, 'row')} without one.`}
        {left_to_rules > 0 && ` Rules decide ${number(left_to_rules)} of them, which do not count here.`}
      </p>
      <Bars
        says={
          ready
            ? `Labelled examples of each option; from ${min_per_option} on the policy may decide an answer alone.`
            : 'Labelled examples of each option.'
        }
        items={shown.map((option) => ({
          key: option,
          name: <OptionName typeId={type.id} option={option} />,
          value: Math.min(1, countOf(option) / (ready ? min_per_option : Math.max(...options.map(countOf), 1))),
          text: `${number(countOf(option))}${ready && countOf(option) >= min_per_option ? ' ✓' : ''}`,
          colour: colourOf(option),
        }))}
      />
      {ordered.length > maxListedOptions && (
        <Button size="compact-xs" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${ordered.length} options`}
        </Button>
      )}
    </div>
  );
}
