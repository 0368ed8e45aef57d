/** The settings of a training that can be chosen on the page. */
import { Button, Checkbox, Collapse, NativeSelect, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { atRandom, type TrainingConfig } from '../../../engine/domain/training.ts';
import { Part } from '../../parts/notes.tsx';
import { useOperation } from '../../state/queries.ts';
import { SplitChoice } from './split-choice.tsx';

const first = {
  train_on: 'all',
  split: atRandom,
  tune_hyperparams: true,
  text_model: 'auto',
  tune_encoder: 'auto',
  auto_deploy: true,
  auto_generate: false,
  golden_inputs: 'synthetic',
  target_f1: null,
} as const satisfies Partial<TrainingConfig>;

const tunings = [
  { value: 'auto', label: 'Afterwards, in the background, where it may help' },
  { value: 'true', label: 'Before the policy is there' },
  { value: 'false', label: 'Never' },
];

/** How a training may read texts, by the words of the page; a text model of one's own has a name of its own. */
export const textModelNames: Readonly<Record<string, string>> = {
  words: 'Words alone',
  fast: 'Multilingual text model',
  english: 'English text model',
};

const textModels = [
  { value: 'auto', label: 'The smallest that is about as good as the best' },
  ...Object.entries(textModelNames).map(([value, label]) => ({ value, label })),
];

export type Settings = Pick<TrainingConfig, keyof typeof first>;

/**
 * Picks the settings of the page from those of an earlier training; without one, those of a first training. A policy
 * that decides is replaced only where that is asked for again.
 */
export function toSettings(last: TrainingConfig | undefined, isDeployed: boolean): Settings {
  const auto_deploy = !isDeployed;
  if (last === undefined) return { ...first, auto_deploy };
  const { train_on, split, tune_hyperparams, text_model, tune_encoder, auto_generate, golden_inputs, target_f1 } = last;
  const ofModel = { tune_hyperparams, text_model, tune_encoder };
  return { train_on, split, ...ofModel, auto_deploy, auto_generate, golden_inputs, target_f1 };
}

type Props = { typeId: string; settings: Settings; hasRules: boolean; onChange(changed: Partial<Settings>): void };

/** Shows the settings, all but the first two behind "More". */
export function TrainingOptions({ typeId, settings, hasRules, onChange }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const { data: models = [] } = useOperation('text_models.list', {});
  const check = (
    label: string,
    description: string,
    checked: boolean,
    toChange: (on: boolean) => Partial<Settings>,
  ) => (
    <Checkbox
      label={label}
      description={description}
      checked={checked}
      onChange={(event) => onChange(toChange(event.currentTarget.checked))}
    />
  );
  return (
    <Part
      title="Next training"
      tools={
        <Button size="compact-xs" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Fewer' : 'More'}
        </Button>
      }
    >
      <div className="stack">
        {check(
          'Deploy when it is done',
          'Otherwise the policy waits for you under Deploy.',
          settings.auto_deploy,
          (auto_deploy) => ({ auto_deploy }),
        )}
        <SplitChoice typeId={typeId} split={settings.split} onChange={(split) => onChange({ split })} />
        <Collapse expanded={isOpen}>
          <div className="stack">
            {check(
              'Search for the best settings',
              'Tries several settings and keeps the best; takes a little longer.',
              settings.tune_hyperparams,
              (tune_hyperparams) => ({ tune_hyperparams }),
            )}
            <NativeSelect
              label="Texts are read by"
              data={[...textModels, ...models.filter(({ own }) => own).map(({ name }) => name)]}
              value={settings.text_model}
              onChange={({ currentTarget: { value } }) => onChange({ text_model: value })}
            />
            <NativeSelect
              label="Tune the text model"
              disabled={settings.text_model !== 'auto' && settings.text_model !== 'english'}
              description="Adapts the English one to the wording of your examples. Helps most when there are few, and is kept only if it does better on unseen ones. Takes up to about three minutes on two idle cores, longer on busy ones."
              data={tunings}
              value={String(settings.tune_encoder)}
              onChange={({ currentTarget: { value } }) =>
                onChange({ tune_encoder: value === 'auto' ? 'auto' : value === 'true' })
              }
            />
            {check(
              'Fill up options with few examples',
              'Synthetic examples are made for them; they are never used to measure the policy.',
              settings.auto_generate,
              (auto_generate) => ({ auto_generate }),
            )}
            {check(
              'Put examples into the bundle',
              'The bundle then tests itself on up to 60 real examples, without personal fields, instead of on made-up inputs.',
              settings.golden_inputs === 'examples',
              (on) => ({ golden_inputs: on ? 'examples' : 'synthetic' }),
            )}
            {hasRules &&
              check(
                'Learn only what the rules leave',
                'The classifier skips examples that a rule decides, both for learning and for its own figures. The headline still counts the whole decision on all unseen examples.',
                settings.train_on === 'left_by_rules',
                (on) => ({ train_on: on ? 'left_by_rules' : 'all' }),
              )}
            <NumberInput
              label="Quality gate (macro F1)"
              description="Optional, 0 to 1: below it the policy is not deployed automatically."
              w={280}
              min={0}
              max={1}
              step={0.01}
              value={settings.target_f1 ?? ''}
              onChange={(value) => onChange({ target_f1: value === '' ? null : Number(value) })}
            />
          </div>
        </Collapse>
      </div>
    </Part>
  );
}
