/** The choice of the examples that the next training holds out to measure its policy. */
import { Button, Checkbox, NativeSelect, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { atRandom, type SplitWay, splitWays } from '../../../engine/domain/training.ts';
import { parseDate } from '../../../engine/features/dates.ts';
import type { TrainingSettings } from '../../parts/hooks/use-training.ts';
import { Part } from '../../parts/notes.tsx';
import { flattenInput } from '../../parts/text/inputs.ts';
import { useOperation } from '../../state/queries.ts';

const ways = {
  random: {
    label: 'A fifth at random',
    says: 'Shows how it does on inputs like these examples; on new customers, times or wordings where the type says so, or where those are harder.',
  },
  date: {
    label: 'The newest by a date',
    says: 'It learns from the older ones and is tested on about the newest fifth: how it does on what comes next.',
  },
  group: {
    label: 'Whole groups',
    says: 'All examples of a customer, thread or template stay on one side: how it does on new ones.',
  },
  column: {
    label: 'As a field says',
    says: 'Tested on the examples whose field says test, held out, true, yes or 1. Nothing learns from these.',
  },
} as const satisfies Record<SplitWay['by'], object>;

type SplitProps = { typeId: string; split: SplitWay; onChange(split: SplitWay): void };

/** Shows how examples are held out, and by which of the fields of some examples. */
function SplitChoice({ typeId, split, onChange }: SplitProps) {
  const query = { labelled: true, page_size: 50 };
  const some = useOperation('examples.list', { params: { decision_type_id: typeId }, query }).data?.items ?? [];
  const fields = new Map<string, boolean>();
  for (const { input_payload } of some) {
    for (const { path, value } of flattenInput(input_payload)) {
      fields.set(path, (fields.get(path) ?? true) && parseDate(value) !== null);
    }
  }
  if (split.field !== null && !fields.has(split.field)) fields.set(split.field, false);
  const names = [...fields.keys()];
  const choose = (by: SplitWay['by']) => {
    const field = (by === 'date' ? names.find((name) => fields.get(name)) : undefined) ?? split.field ?? names[0];
    onChange(by === 'random' || field === undefined ? atRandom : { by, field });
  };
  return (
    <div className="stack">
      <NativeSelect
        label="Test it on"
        maw={560}
        description={ways[split.by].says}
        data={splitWays.map((by) => ({ value: by, label: ways[by].label, disabled: names.length === 0 }))}
        value={split.by}
        onChange={({ currentTarget: { value } }) => {
          const by = splitWays.find((way) => way === value);
          if (by !== undefined) choose(by);
        }}
      />
      {split.field !== null && (
        <NativeSelect
          label="Field"
          maw={560}
          data={names}
          value={split.field}
          onChange={({ currentTarget: { value } }) => onChange({ ...split, field: value })}
        />
      )}
    </div>
  );
}

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

type Props = {
  typeId: string;
  settings: TrainingSettings;
  hasRules: boolean;
  onChange(changed: Partial<TrainingSettings>): void;
};

type CheckProps = { label: string; description: string; checked: boolean; onCheck(on: boolean): void };

const Check = ({ onCheck, ...props }: CheckProps) => (
  <Checkbox {...props} onChange={(event) => onCheck(event.currentTarget.checked)} />
);

/** Shows the settings, all but the first two behind "More". */
export function TrainingOptions(props: Props) {
  const { typeId, settings, onChange } = props;
  const [isOpen, setIsOpen] = useState(false);
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
        <Check
          label="Deploy when it is done"
          description="Otherwise the policy waits for you under Deploy."
          checked={settings.auto_deploy}
          onCheck={(auto_deploy) => onChange({ auto_deploy })}
        />
        <SplitChoice typeId={typeId} split={settings.split} onChange={(split) => onChange({ split })} />
        {isOpen && <MoreOptions {...props} />}
      </div>
    </Part>
  );
}

function MoreOptions({ settings, hasRules, onChange }: Props) {
  const { data: models = [] } = useOperation('text_models.list', {});
  return (
    <div className="stack">
      <Check
        label="Search for the best settings"
        description="Tries several settings and keeps the best; takes a little longer."
        checked={settings.tune_hyperparams}
        onCheck={(tune_hyperparams) => onChange({ tune_hyperparams })}
      />
      <Check
        label="Learn the days between dates"
        description="Two dates of an example then also count as one number: how many days lie between them."
        checked={settings.days_between}
        onCheck={(days_between) => onChange({ days_between })}
      />
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
      <Check
        label="Fill up options with few examples"
        description="Synthetic examples are made for them; they are never used to measure the policy."
        checked={settings.auto_generate}
        onCheck={(auto_generate) => onChange({ auto_generate })}
      />
      <Check
        label="Put examples into the bundle"
        description="The bundle then tests itself on up to 60 real examples, without personal fields, instead of on made-up inputs."
        checked={settings.golden_inputs === 'examples'}
        onCheck={(on) => onChange({ golden_inputs: on ? 'examples' : 'synthetic' })}
      />
      {hasRules && (
        <Check
          label="Learn only what the rules leave"
          description="The classifier skips examples that a rule decides, both for learning and for its own figures. The headline still counts the whole decision on all unseen examples."
          checked={settings.train_on === 'left_by_rules'}
          onCheck={(on) => onChange({ train_on: on ? 'left_by_rules' : 'all' })}
        />
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
  );
}
