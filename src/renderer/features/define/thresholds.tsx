import { NativeSelect } from '@mantine/core';
import type { ConfidenceThresholds } from '../../../engine/domain/definition.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { NumberField } from '../../parts/fields/number-field.tsx';
import { OwnThresholds, thresholdBounds } from '../../parts/fields/own-thresholds.tsx';
import { useFirstPart } from '../../parts/hooks/use-first-part.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { useDraft } from '../../state/use-draft.ts';

const unfamiliarChoices = [
  { value: 'escalate', label: 'Treat as unsure' },
  { value: 'ignore', label: 'Decide like any other' },
] as const;

const betweenChoices = [
  { value: 'flag', label: 'Decide, and flag it for review' },
  { value: 'accept', label: 'Decide as if sure' },
  { value: 'fallback', label: 'Take the fallback option' },
  { value: 'escalate', label: 'Ask the connected model, else the fallback' },
] as const;

/** Sets what happens where the classifier is not sure. */
export function Thresholds({ type }: { type: DecisionType }) {
  const { draft, edit } = useDraft(type);
  const { auto_decide, escalation } = draft.confidence_thresholds;
  const policy = draft.escalation_policy;
  const live = policy.enabled ? (policy.connection ?? '') : '';
  const connections = useOperation('connections.list', {}).data?.map(({ name }) => name) ?? [];
  const models = live === '' || connections.includes(live) ? connections : [...connections, live];
  const fallback = draft.fallback_option ?? '';
  // The browser measures every choice of a closed list as well; the chosen one is always among them.
  const choices = new Set([...useFirstPart(draft.options), fallback].filter((option) => option !== ''));
  const set = (patch: Partial<ConfidenceThresholds>) =>
    edit({ confidence_thresholds: { ...draft.confidence_thresholds, ...patch } }, `threshold-${Object.keys(patch)[0]}`);
  return (
    <div className="part stack">
      <NumberField
        label="Decide directly from"
        description="Confidence, 0 to 1"
        {...thresholdBounds}
        value={auto_decide}
        onNumber={(value) => set({ auto_decide: value })}
        error={escalation > auto_decide ? 'It must not be below the fallback threshold.' : undefined}
      />
      <OwnThresholds options={draft.options} thresholds={draft.confidence_thresholds} set={set} />
      <NumberField
        label="Fall back below"
        description="Confidence, 0 to 1"
        {...thresholdBounds}
        value={escalation}
        onNumber={(value) => set({ escalation: value })}
      />
      <NativeSelect
        label="Between these two"
        value={policy.between}
        data={betweenChoices}
        onChange={(event) => {
          const between = betweenChoices.find(({ value }) => value === event.currentTarget.value)?.value;
          if (between) edit({ escalation_policy: { ...policy, between } });
        }}
      />
      <NativeSelect
        label="Inputs unlike the examples"
        description="A classifier may be sure of nonsense; the policy also looks at the input itself."
        value={policy.unfamiliar}
        data={unfamiliarChoices}
        onChange={(event) => {
          const unfamiliar = unfamiliarChoices.find(({ value }) => value === event.currentTarget.value)?.value;
          if (unfamiliar) edit({ escalation_policy: { ...policy, unfamiliar } });
        }}
      />
      <NativeSelect
        label="Fallback option"
        description="The answer below the lower threshold, flagged for review."
        value={fallback}
        onChange={(event) => edit({ fallback_option: event.currentTarget.value || null })}
      >
        <option value="">None: the best guess, flagged for review</option>
        {[...choices].map((choice) => (
          <option key={choice} value={choice}>
            {showUnseen(choice)}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        label="Connected model"
        description="Asked below the lower threshold, and in between where that is set: the input then leaves this program, with its PII fields redacted. When the model fails, the fallback applies."
        value={live}
        data={[{ value: '', label: 'None' }, ...models]}
        onChange={(event) => {
          const connection = event.currentTarget.value || null;
          edit({ escalation_policy: { ...policy, enabled: connection !== null, connection } });
        }}
      />
    </div>
  );
}
