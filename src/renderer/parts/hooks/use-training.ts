/** The next training of a type: its settings, whether it can start, and its start. */
import { useReducer } from 'react';
import { atRandom, isInProgress, type TrainingConfig } from '../../../engine/domain/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { useChange, useOperation, usePolicy } from '../../state/queries.ts';

const first = {
  train_on: 'all',
  split: atRandom,
  days_between: true,
  tune_hyperparams: true,
  text_model: 'auto',
  tune_encoder: 'auto',
  auto_deploy: true,
  auto_generate: false,
  golden_inputs: 'synthetic',
  target_f1: null,
} as const satisfies Partial<TrainingConfig>;

export type TrainingSettings = Pick<TrainingConfig, keyof typeof first>;

/**
 * Picks the settings of the page from those of an earlier training; without one, those of a first training. A policy
 * that decides is replaced only where that is asked for again.
 */
function toSettings(last: TrainingConfig | undefined, isDeployed: boolean): TrainingSettings {
  const auto_deploy = !isDeployed;
  if (last === undefined) return { ...first, auto_deploy };
  const { train_on, split, tune_hyperparams, text_model, tune_encoder, auto_generate, golden_inputs, target_f1 } = last;
  const { days_between } = last;
  const ofModel = { days_between, tune_hyperparams, text_model, tune_encoder };
  return { train_on, split, ...ofModel, auto_deploy, auto_generate, golden_inputs, target_f1 };
}

/** The settings of the next training, those of the last one of this type until they are changed here, and its start. */
export function useTraining(type: DecisionType) {
  const params = { decision_type_id: type.id };
  const policies = useOperation('policies.list', { params }).data;
  const last = policies?.find(({ policy_type }) => policy_type !== 'rules_only');
  const detail = usePolicy(type.id, last?.id);
  const [changed, change] = useReducer(
    (before: Partial<TrainingSettings>, now: Partial<TrainingSettings>) => ({ ...before, ...now }),
    {},
  );
  const isKnown = policies !== undefined && (last === undefined || !detail.isPending);
  // The list that shows the end of a training: the type itself may be read later.
  const isDeployed = policies?.some(({ deployed }) => deployed) === true;
  const settings = { ...toSettings(detail.data?.training_config, isDeployed), ...changed };
  const query = settings.train_on === 'all' ? {} : { train_on: settings.train_on };
  const readiness = useOperation('training.readiness', { params, query });
  const newest = policies?.[0];
  const isRunning = newest !== undefined && isInProgress(newest.status);
  const start = useChange('training.start');
  return {
    newest,
    settings,
    change,
    readiness,
    isRunning,
    isPossible: readiness.data?.ready === true && !isRunning && isKnown,
    isStarting: start.isPending,
    error: start.error,
    begin: () => {
      if (!start.isPending) start.mutate({ params, body: settings });
    },
  };
}
