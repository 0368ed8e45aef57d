/** The promise about automatic decisions: its terms, what the unseen examples bear, and how it stands. */
import { Button, NumberInput } from '@mantine/core';
import { useState } from 'react';
import type { PromiseTerms } from '../../../engine/measured.ts';
import type { PolicyDetail } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { ServerCall } from '../../api/journal.ts';
import { PromiseState } from '../../parts/explained/promise-state.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { number } from '../../parts/text/figures.ts';
import { quoteNames } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';
import { useUndo } from '../../state/use-undo.ts';

const usual: PromiseTerms = { target_error: 0.05, certainty: 0.95 };
const toPercent = (share: number) => Number((100 * share).toFixed(4));

type Typed = Partial<Record<keyof PromiseTerms, number | string>>;

/** The terms of a promise, in percent: as typed, or else as declared; and what a policy's unseen examples bear. */
export function usePromise(type: DecisionType, policyId?: string) {
  const [typed, setTyped] = useState<Typed>({});
  const declared = type.declared_promise;
  const toField = (name: keyof PromiseTerms) => typed[name] ?? toPercent(declared?.[name] ?? usual[name]);
  const fields = { target_error: toField('target_error'), certainty: toField('certainty') };
  const terms = { target_error: Number(fields.target_error) / 100, certainty: Number(fields.certainty) / 100 };
  const isValid =
    terms.target_error >= 0.0001 && terms.target_error <= 0.5 && terms.certainty >= 0.5 && terms.certainty <= 0.9999;
  const { data, error } = useOperation(
    'policies.promise',
    { params: { decision_type_id: type.id, policy_id: policyId ?? '' }, query: terms },
    { enabled: isValid && policyId !== undefined, keepPrevious: true },
  );
  return { fields, terms, isValid, setTyped, found: isValid ? data : undefined, error };
}

type Props = {
  type: DecisionType;
  promise: ReturnType<typeof usePromise>;
  standing: Parameters<typeof PromiseState>[0]['promise'];
  onKept?: () => void;
};

/** The terms as fields, with the acts that promise them and take the promise back, and how it stands. */
export function PromiseLine({ type, promise, standing, onKept }: Props) {
  const { fields, isValid, setTyped, found, error } = promise;
  const { declare, withdraw, isPending, failure } = usePromiseActs(type, promise, onKept);
  const field = (name: keyof PromiseTerms, label: string, min: number, max: number) => (
    <NumberInput
      aria-label={label}
      w={72}
      min={min}
      max={max}
      step={1}
      value={fields[name]}
      onChange={(value) => setTyped((before) => ({ ...before, [name]: value }))}
    />
  );
  const isPromised = type.declared_promise !== null;
  return (
    <div className="stack tight">
      <div className="row">
        At most {field('target_error', 'Automated and wrong at most (%)', 0.01, 50)}% wrong, certain to{' '}
        {field('certainty', 'Certainty (%)', 50, 99.99)}%
        <Button disabled={!isValid} loading={isPending} onClick={declare}>
          Promise this
        </Button>
        {isPromised && (
          <Button disabled={isPending} onClick={withdraw}>
            Withdraw the promise
          </Button>
        )}
      </div>
      {!isValid && <p className="muted">At most 0.01 to 50% wrong, certain to 50 to 99.99%.</p>}
      <PromiseState promise={standing} />
      {found && !found.possible && standing?.sentence.includes(found.sentence) !== true && (
        <p className="muted">{quoteNames(found.sentence)}</p>
      )}
      {[error, failure].map((each) => each && <ErrorNote key={each.message} error={each} />)}
    </div>
  );
}

/** Promises the terms, and takes the promise back; Undo brings back the one before, with the thresholds it moved. */
function usePromiseActs(type: DecisionType, { terms, setTyped }: Props['promise'], onKept?: () => void) {
  const params = { decision_type_id: type.id };
  const declaring = useChange('promises.declare');
  const withdrawing = useChange('promises.withdraw');
  const { noteDone } = useUndo(type.id);
  const withdrawal: ServerCall = { name: 'promises.withdraw', input: { params } };
  const { target_error = null, certainty = null } = type.declared_promise ?? {};
  const before: ServerCall =
    target_error === null || certainty === null
      ? withdrawal
      : { name: 'promises.declare', input: { params, body: { target_error, certainty } } };
  const { confidence_thresholds } = type.active_version;
  const thresholds: ServerCall = { name: 'decision_types.update', input: { params, body: { confidence_thresholds } } };
  return {
    isPending: declaring.isPending || withdrawing.isPending,
    failure: declaring.error ?? withdrawing.error,
    declare: () =>
      declaring.mutate(
        { params, body: terms },
        {
          onSuccess: ({ state, sentence }) => {
            setTyped({});
            onKept?.();
            const undo = state === 'kept' ? [before, thresholds] : [before];
            noteDone('Promise made', sentence, undo, { name: 'promises.declare', input: { params, body: terms } });
          },
        },
      ),
    withdraw: () =>
      withdrawing.mutate(
        { params },
        {
          onSuccess: () => {
            setTyped({});
            noteDone('Promise withdrawn', 'The promise is withdrawn.', before, withdrawal);
          },
        },
      ),
  };
}

type OptionProps = {
  policy: Pick<PolicyDetail, 'id' | 'decision_type_id'>;
  option: string;
  terms: PromiseTerms;
  onTake(threshold: number): void;
};

/** Offers the threshold from which the terms hold of one option, and of all such options at once. */
export function OptionPromise({ policy, option, terms, onTake }: OptionProps) {
  const params = { decision_type_id: policy.decision_type_id, policy_id: policy.id };
  const { data } = useOperation('policies.promise', { params, query: { ...terms, option } });
  if (data === undefined) return null;
  const { threshold, sentence } = data;
  return (
    <div className="row small muted">
      {quoteNames(sentence)}
      {threshold !== null && (
        <Button size="compact-xs" onClick={() => onTake(threshold)}>
          Take {number(threshold)}
        </Button>
      )}
    </div>
  );
}

/** The promise by itself, where no unseen example says yet what can be promised. */
export function PromiseAlone({ type }: { type: DecisionType }) {
  return (
    <Part title="Error limit">
      <PromiseLine type={type} promise={usePromise(type)} standing={type.declared_promise} />
    </Part>
  );
}
