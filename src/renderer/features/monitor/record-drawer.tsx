import { Button } from '@mantine/core';
import type { LogRecord } from '../../../server/contract/deciding/logs.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Likelihoods } from '../../parts/explained/likelihoods.tsx';
import { useExplanation, useRested, useWhy, Why } from '../../parts/explained/why.tsx';
import { Figure } from '../../parts/figure.tsx';
import { useLabelKeys } from '../../parts/grid/use-row-commands.ts';
import { WholeInput } from '../../parts/input-view.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { OptionName, OptionSelect } from '../../parts/option.tsx';
import { Inspector } from '../../parts/panes.tsx';
import { useDownload } from '../../parts/save-file.ts';
import { decimal, moment, percent } from '../../parts/text/figures.ts';
import { isolate, quoteNames, showUnseen } from '../../parts/text/names.ts';
import { notifyFailure } from '../../state/notices.tsx';
import { useChange } from '../../state/queries.ts';
import { goTo } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { readOwnProbability } from './own-probability.ts';

/** Corrects a record: the right decision makes it a reviewed example, which can be taken back. */
function useCorrection(type: DecisionType, record: LogRecord) {
  const correct = useChange('logs.correct');
  const { noteDone } = useUndo(type.id);
  const params = { decision_type_id: type.id, log_id: record.id };
  const toCorrection = (decision: string | null) => ({
    name: 'logs.correct' as const,
    input: { params, body: { decision } },
  });
  const set = (decision: string) => {
    const [before, after] = [toCorrection(record.corrected_decision), toCorrection(decision)];
    correct.mutate(after.input, {
      onSuccess: () => {
        const text = 'Corrected. The record is now a reviewed example.';
        noteDone(`Corrected to ${isolate(decision)}`, text, before, after, 1);
      },
    });
  };
  return { set, error: correct.error };
}

/** Pins the right decision of a record as a case that must hold; it can be taken back. */
function usePin(type: DecisionType, record: LogRecord) {
  const create = useChange('examples.create');
  const { noteAdded } = useUndo(type.id);
  const decision = record.corrected_decision ?? record.decision;
  const params = { decision_type_id: type.id };
  const body = { examples: [{ input: record.input, decision, must: true }] };
  const onSuccess = (made: { id: string }[]) =>
    noteAdded(made, 'Case pinned', `Pinned: it must be ${isolate(decision)}.`);
  return () => create.mutate({ params, body }, { onSuccess, onError: notifyFailure });
}

/** Saves the case file of a record, a page for the person who asks why. */
function useCase(type: DecisionType, record: LogRecord) {
  const params = { decision_type_id: type.id, log_id: record.id };
  const query = { format: 'html' as const };
  return useDownload(
    'case.html',
    (client, signal) => client.download('logs.case', { params, query }, signal),
    notifyFailure,
  );
}

type RecordDrawerProps = { type: DecisionType; record: LogRecord; onClose(): void; onFocus(): void };

/** One record whole; the right decision is given by list or by number key and becomes a reviewed example. */
export function RecordDrawer({ type, record, onClose, onFocus }: RecordDrawerProps) {
  const { options } = type.active_version;
  const correction = useCorrection(type, record);
  const pin = usePin(type, record);
  const caseFile = useCase(type, record);
  useCommands('Monitor', [
    { id: 'save-case', title: 'Save the case file of the record', keys: 'f', run: () => caseFile.run() },
    { id: 'pin-record', title: 'Pin the record: its right decision must hold', keys: 'p', run: pin },
  ]);
  useLabelKeys({
    options,
    toTitle: (option) => `The right decision is ${isolate(option)}`,
    give: (option) => {
      onFocus();
      correction.set(option);
    },
  });
  const tryIt = () => {
    window.localStorage.setItem(`decision-workbench.kept.try.${type.id}`, JSON.stringify(record.input, null, 2));
    goTo({ page: 'type', id: type.id, place: 'try' });
  };
  return (
    <Inspector
      title="Record"
      onClose={onClose}
      tools={
        <>
          <Button size="compact-xs" onClick={pin}>
            Pin
          </Button>
          <Button size="compact-xs" loading={caseFile.isPending} onClick={() => caseFile.run()}>
            Case file
          </Button>
          <Button size="compact-xs" onClick={tryIt}>
            Try this input
          </Button>
        </>
      }
    >
      <div className="part stack">
        <RecordFacts typeId={type.id} record={record} />
        <OptionSelect
          label="Right decision"
          description="Or press its number. The record becomes a reviewed example."
          options={options}
          value={record.corrected_decision ?? null}
          onValue={(option) => option !== null && correction.set(option)}
        />
        {correction.error && <ErrorNote error={correction.error} />}
      </div>
      <Part title="Input">
        <WholeInput input={record.input} readings={type.active_version.readings} />
      </Part>
      <Part title="Probabilities">
        <Likelihoods typeId={type.id} decided={record} says="How likely the classifier thought each option was." />
      </Part>
      <Reasons record={record} />
      <RecordWhy type={type} record={record} />
    </Inspector>
  );
}

function RecordFacts({ typeId, record }: { typeId: string; record: LogRecord }) {
  return (
    <>
      <p className="row">
        <OptionName typeId={typeId} option={record.decision} />{' '}
        <Figure says="How likely the decision is right, by the calibrated classifier.">
          {percent(readOwnProbability(record))}
        </Figure>
        <span className="tag">{record.stage}</span>
        <Figure className="tag" says="The policy that decided.">
          {record.policy_version}
        </Figure>
        {record.decision_type_version !== null && (
          <Figure className="tag" says="The version whose rules and thresholds decided.">
            rules of version {record.decision_type_version}
          </Figure>
        )}
      </p>
      <p className="muted">
        {moment(record.created_at)} ·{' '}
        <Figure says="From the call to its answer.">{decimal(record.latency_ms, 1)} ms</Figure> · request{' '}
        {record.request_id}
        {record.origin === 'edge' && ' · decided at the edge'}
        {record.imported_by !== null && `, brought by ${showUnseen(record.imported_by)}`}
      </p>
    </>
  );
}

/** The answer's sentence, then what it does not name. Earlier records have none: their rules stand alone. */
function Reasons({ record: { explanation, rules_triggered, rule_errors, reason_codes } }: { record: LogRecord }) {
  const unnamed = rules_triggered.filter((rule) => !explanation?.includes(`«${rule}»`));
  if (explanation === null && [unnamed, rule_errors, reason_codes].every(({ length }) => length === 0)) return null;
  return (
    <Part title="Why">
      {explanation !== null && <p className="wrap">{quoteNames(explanation)}</p>}
      <ul>
        {unnamed.map((rule) => (
          <li key={rule}>Rule: {isolate(rule)}</li>
        ))}
        {rule_errors.map(({ name, error }) => (
          <li key={name} className="bad-text">
            The rule {isolate(name)} failed: {error.replaceAll('_', ' ')}
          </li>
        ))}
        {reason_codes.map((code) => (
          <li key={code}>Reason: {isolate(code)}</li>
        ))}
      </ul>
    </Part>
  );
}

function RecordWhy({ type, record }: { type: DecisionType; record: LogRecord }) {
  const why = useWhy(type, 'monitor');
  const isRested = useRested(record.id);
  const params = { decision_type_id: type.id, log_id: record.id };
  const answer = useExplanation('logs.explain', { params }, why.isAsked && isRested);
  return <Why type={type} why={why} answer={answer} input={record.input} decided={record.decision} />;
}
