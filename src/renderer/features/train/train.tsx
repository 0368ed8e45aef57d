import './train.css';
import { Button, Checkbox, Collapse, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { isInProgress, type TrainingConfig } from '../../../engine/domain.ts';
import type { Readiness } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Bars } from '../../parts/bars.tsx';
import { Busy, EmptyState, ErrorNote, Part } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { Pane, PlaceLayout } from '../../parts/panes.tsx';
import { number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';
import { formatRoute } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { PromiseForm } from './promise-form.tsx';
import { TrainingProgress } from './training-progress.tsx';

/** Whether there are enough examples, the start of a training, its progress and its result. */
export function Train({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const [rows, setRows] = useState<Rows>('all');
  const query = rows === 'all' ? {} : { train_on: rows };
  const readiness = useOperation('training.readiness', { params, query });
  const withoutRare = useOperation(
    'training.readiness',
    { params, query: { ...query, rare_options: 'fallback' } },
    { enabled: readiness.data?.ready === false },
  ).data;
  const policies = useOperation('policies.list', { params });
  const newest = policies.data?.[0];
  const isRunning = newest !== undefined && isInProgress(newest.status);
  const start = useStart(type, readiness.data?.ready === true && !isRunning, rows, setRows);
  const mayLeaveOut = readiness.data?.ready === false && withoutRare?.ready === true && !isRunning;
  return (
    <PlaceLayout
      id="train"
      main={
        <Pane
          title="Train"
          level={1}
          tools={
            <Button disabled={!start.isPossible} loading={start.isStarting} onClick={() => start.begin()}>
              Start training
            </Button>
          }
        >
          {start.error && <ErrorNote error={start.error} />}
          {mayLeaveOut && (
            <RareAnswers readiness={withoutRare} train={start.beginWithoutRare} isStarting={start.isStarting} />
          )}
          {newest ? (
            <TrainingProgress key={newest.id} type={type} policy={newest} />
          ) : (
            <EmptyState title="Nothing has been trained yet">
              A training learns from the labelled examples, measures itself on a fifth of them that it has not seen, and
              makes a policy that decides. A small project takes seconds.
            </EmptyState>
          )}
          {start.options}
          <PromiseForm key={type.declared_promise?.declared_at} type={type} />
          {!isRunning && <RulesAlone type={type} />}
        </Pane>
      }
      beside={
        <Pane title="Readiness" head={readiness.data && <ReadyTag ready={readiness.data.ready} />}>
          {readiness.isPending && <Busy>Counting labelled examples…</Busy>}
          {readiness.isError && <ErrorNote error={readiness.error} retry={() => void readiness.refetch()} />}
          {readiness.data && <ReadinessPart type={type} readiness={readiness.data} />}
        </Pane>
      }
    />
  );
}

function ReadyTag({ ready }: { ready: boolean }) {
  return <span className={ready ? 'tag good' : 'tag warn'}>{ready ? 'ready' : 'not ready'}</span>;
}

type Rows = TrainingConfig['train_on'];

/** The options of a training, of which `rows` says what it learns from, and its start. */
function useStart(type: DecisionType, isPossible: boolean, rows: Rows, setRows: (rows: Rows) => void) {
  const [tune, setTune] = useState(true);
  const [tuneText, setTuneText] = useState(false);
  const [autoDeploy, setAutoDeploy] = useState(true);
  const [generate, setGenerate] = useState(false);
  const [asTheyAre, setAsTheyAre] = useState(false);
  const [targetF1, setTargetF1] = useState<number | string>('');
  const [isOpen, setIsOpen] = useState(false);
  const start = useChange('training.start');
  const send = (rare_options: 'refuse' | 'fallback') => {
    if (start.isPending) return;
    const body = {
      rare_options,
      train_on: rows,
      tune_hyperparams: tune,
      tune_encoder: tuneText,
      auto_deploy: autoDeploy,
      auto_generate: generate,
      golden_inputs: asTheyAre ? ('examples' as const) : ('synthetic' as const),
      target_f1: targetF1 === '' ? null : Number(targetF1),
    };
    start.mutate({ params: { decision_type_id: type.id }, body });
  };
  const begin = () => send('refuse');
  useCommands([
    {
      id: 'train',
      title: 'Start training',
      group: 'Training',
      keys: 'Mod+Enter',
      inFields: true,
      enabled: isPossible,
      run: begin,
    },
  ]);
  const options = (
    <Part
      title="Options"
      tools={
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Fewer' : 'More'}
        </Button>
      }
    >
      <div className="stack">
        <Checkbox
          label="Deploy when it is done"
          description="Otherwise the policy waits for you under Deploy."
          checked={autoDeploy}
          onChange={(event) => setAutoDeploy(event.currentTarget.checked)}
        />
        <Collapse expanded={isOpen}>
          <div className="stack">
            <Checkbox
              label="Search for the best settings"
              description="Tries several settings and keeps the best; takes a little longer."
              checked={tune}
              onChange={(event) => setTune(event.currentTarget.checked)}
            />
            <Checkbox
              label="Tune the text model"
              description="Teaches it the language of the examples, which helps most where there are few, and is kept only where it is better on examples it has not seen. Takes up to about three minutes on two idle cores, longer on busy ones; the progress says how many are left."
              checked={tuneText}
              onChange={(event) => setTuneText(event.currentTarget.checked)}
            />
            <Checkbox
              label="Fill up options with few examples"
              description="A teacher makes synthetic examples for them; nothing is measured on them."
              checked={generate}
              onChange={(event) => setGenerate(event.currentTarget.checked)}
            />
            <Checkbox
              label="Put examples into the bundle"
              description="It tests itself by up to 60 of them as they are, without personal fields, instead of by made-up inputs."
              checked={asTheyAre}
              onChange={(event) => setAsTheyAre(event.currentTarget.checked)}
            />
            {type.active_version.hard_rules.length > 0 && (
              <Checkbox
                label="Learn only what the rules leave"
                description="The classifier neither learns from examples that a rule decides nor is measured on them; the headline stays the whole decision on all unseen examples."
                checked={rows === 'left_by_rules'}
                onChange={(event) => setRows(event.currentTarget.checked ? 'left_by_rules' : 'all')}
              />
            )}
            <NumberInput
              label="Quality gate (macro F1)"
              description="Optional, 0 to 1: below it the policy is not deployed automatically."
              w={280}
              min={0}
              max={1}
              step={0.01}
              value={targetF1}
              onChange={setTargetF1}
            />
          </div>
        </Collapse>
      </div>
    </Part>
  );
  const beginWithoutRare = () => send('fallback');
  return { begin, beginWithoutRare, options, isPossible, isStarting: start.isPending, error: start.error };
}

/** A training that leaves the answers with few examples to a person, where the others have enough. */
function RareAnswers({ readiness, train, isStarting }: { readiness: Readiness; train(): void; isStarting: boolean }) {
  const { options, examples } = readiness.set_aside;
  const answers = options.length === 1 ? '1 rare answer; it goes' : `${number(options.length)} rare answers; they go`;
  return (
    <Part title="Too few examples of some answers">
      <div className="stack">
        <p className="muted">
          {number(examples)} of {number(readiness.labelled_examples)} labelled examples have an answer with fewer than{' '}
          {readiness.min_per_option}. The policy can learn the others and never decides these; the result says what
          becomes of inputs like theirs.
        </p>
        <div>
          <Button loading={isStarting} onClick={train}>
            Train without {answers} to a person
          </Button>
        </div>
      </div>
    </Part>
  );
}

/** A policy without a training, for types that rules decide. */
function RulesAlone({ type }: { type: DecisionType }) {
  const make = useChange('policies.create');
  const rest = type.fallback_option;
  const missing =
    type.active_version.hard_rules.length === 0
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
        <div>
          <Button
            variant="default"
            disabled={missing !== null}
            loading={make.isPending}
            onClick={() => make.mutate({ params: { decision_type_id: type.id }, body: { kind: 'rules_only' } })}
          >
            Make a policy of rules alone
          </Button>
        </div>
      </div>
    </Part>
  );
}

const maxListedOptions = 12;

function ReadinessPart({ type, readiness }: { type: DecisionType; readiness: Readiness }) {
  const { options, per_option, left_to_rules, min_per_option, issues } = readiness;
  const colourOf = useOptionColours(type.id);
  const [isWhole, setIsWhole] = useState(false);
  const countOf = (option: string) => per_option[option] ?? 0;
  const ordered = [...options].sort((a, b) => countOf(a) - countOf(b));
  const shown = isWhole ? ordered : ordered.slice(0, maxListedOptions);
  return (
    <div className="part stack">
      <p className="muted">
        {readiness.labelled_examples.toLocaleString()} of {readiness.total_examples.toLocaleString()} examples have a
        label. Each option needs {min_per_option}.
        {left_to_rules > 0 && ` Rules decide ${number(left_to_rules)} of them, which do not count here.`}
      </p>
      <Bars
        says={`Labelled examples of each option; a training needs ${min_per_option} of each.`}
        items={shown.map((option) => ({
          key: option,
          name: <OptionName typeId={type.id} option={option} />,
          value: Math.min(1, countOf(option) / min_per_option),
          text: countOf(option) >= min_per_option ? `${countOf(option)} ✓` : `${countOf(option)} of ${min_per_option}`,
          colour: colourOf(option),
        }))}
      />
      {ordered.length > maxListedOptions && (
        <div>
          <Button size="compact-xs" variant="default" onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show all ${ordered.length} options`}
          </Button>
        </div>
      )}
      {issues.length > 0 && (
        <div className="note warn stack tight">
          <ul>
            {issues.slice(0, maxListedOptions).map((issue) => (
              <li key={issue}>{showUnseen(issue)}</li>
            ))}
            {issues.length > maxListedOptions && <li>And {number(issues.length - maxListedOptions)} more.</li>}
          </ul>
          <p>
            <a href={formatRoute({ page: 'type', id: type.id, place: 'examples' })}>Add or label examples</a>
          </p>
        </div>
      )}
    </div>
  );
}
