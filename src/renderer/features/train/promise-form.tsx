import { Button, NumberInput } from '@mantine/core';
import { useState } from 'react';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { PromiseState } from '../../parts/explained/promise-state.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { useChange } from '../../state/queries.ts';

const usualTarget = 5;
const usualCertainty = 95;
const toPercent = (share: number | null | undefined, usual: number) =>
  share === null || share === undefined ? usual : Number((100 * share).toFixed(4));

/** Declares what is promised of a type, before anything is looked at, and says how that stands. */
export function PromiseForm({ type }: { type: DecisionType }) {
  const promised = type.declared_promise;
  const [target, setTarget] = useState<number | string>(toPercent(promised?.target_error, usualTarget));
  const [certainty, setCertainty] = useState<number | string>(toPercent(promised?.certainty, usualCertainty));
  const declare = useChange('promises.declare');
  const withdraw = useChange('promises.withdraw');
  const params = { decision_type_id: type.id };
  const body = { target_error: Number(target) / 100, certainty: Number(certainty) / 100 };
  const isValid = target !== '' && body.target_error >= 0.0001 && body.target_error <= 0.5 && certainty !== '';
  return (
    <Part title="Error limit">
      <div className="stack">
        <PromiseState promise={promised} />
        <p className="muted">
          Each new policy is checked against it on unseen examples and automates as much as it allows. One that cannot
          keep it waits under Deploy.
        </p>
        <div className="row">
          <NumberInput
            label="Automated and wrong at most (%)"
            w={220}
            min={0.01}
            max={50}
            step={1}
            value={target}
            onChange={setTarget}
          />
          <NumberInput
            label="Certainty (%)"
            w={160}
            min={50}
            max={99.99}
            step={1}
            value={certainty}
            onChange={setCertainty}
          />
        </div>
        {declare.isError && <ErrorNote error={declare.error} />}
        {withdraw.isError && <ErrorNote error={withdraw.error} />}
        <div className="row">
          <Button disabled={!isValid} loading={declare.isPending} onClick={() => declare.mutate({ params, body })}>
            Set this promise
          </Button>
          {promised !== null && (
            <Button loading={withdraw.isPending} onClick={() => withdraw.mutate({ params })}>
              Withdraw the promise
            </Button>
          )}
        </div>
      </div>
    </Part>
  );
}
