import { Button, NumberInput, SegmentedControl, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { Figure } from '../../parts/figure.tsx';
import { GrowingText } from '../../parts/growing-text.tsx';
import { isolate } from '../../parts/names.ts';
import { Part } from '../../parts/notes.tsx';
import { OptionMark } from '../../parts/option.tsx';
import { Pane, PlaceLayout } from '../../parts/panes.tsx';
import { SaveTools } from '../../parts/save-tools.tsx';
import { TextList } from '../../parts/text-list.tsx';
import { changedFields } from '../../state/drafts.ts';
import { changeQuery, useQueryPart } from '../../state/route.ts';
import { useDraft } from '../../state/use-draft.ts';
import { ChangeOption } from './change-option.tsx';
import { InputSchema } from './input-schema.tsx';
import { Thresholds } from './thresholds.tsx';
import { Versions } from './versions.tsx';

const maxRetentionDays = 3_650;

/** What is decided: name, options, reason codes, thresholds, fallback and the shape of the input; and its versions. */
export function Define({ type }: { type: DecisionType }) {
  const { beside = 'unsure' } = useQueryPart();
  return (
    <PlaceLayout
      id="define"
      main={
        <Pane
          title="Define"
          level={1}
          head={
            <Figure
              className="tag"
              says="The active version; each change of options, reason codes, rules, schema or thresholds makes a new one."
            >
              version {type.active_version.version_number}
            </Figure>
          }
          tools={<SaveTools type={type} />}
        >
          <Question type={type} />
        </Pane>
      }
      beside={
        <Pane
          title="Details"
          tools={
            <SegmentedControl
              aria-label="Details to show"
              value={beside}
              onChange={(value) => changeQuery({ beside: value }, { replace: true })}
              data={[
                { value: 'unsure', label: 'When unsure' },
                { value: 'input', label: 'Input' },
                { value: 'versions', label: 'Versions' },
              ]}
            />
          }
        >
          {beside === 'versions' ? (
            <Versions type={type} />
          ) : beside === 'input' ? (
            <InputSchema type={type} />
          ) : (
            <Thresholds type={type} />
          )}
        </Pane>
      }
    />
  );
}

function Question({ type }: { type: DecisionType }) {
  const { base, draft, edit } = useDraft(type);
  const [isChanging, setIsChanging] = useState(false);
  const isEdited = changedFields(base, draft).length > 0;
  return (
    <div className="form columns">
      {isChanging && <ChangeOption type={type} onClose={() => setIsChanging(false)} />}
      <Part title="The question">
        <div className="stack">
          <TextInput
            label="Name"
            description="Programs ask for decisions by this name."
            value={draft.name}
            onChange={(event) => edit({ name: event.currentTarget.value }, 'name')}
            maxLength={limits.maxTypeNameLength}
          />
          <GrowingText
            label="Description"
            description="What is decided and how; it stands beside the examples as a guideline."
            minRows={2}
            value={draft.description}
            onChange={(event) => edit({ description: event.currentTarget.value }, 'description')}
          />
        </div>
      </Part>
      <Part
        title="Answers"
        tools={
          <Button
            size="compact-xs"
            variant="default"
            disabled={isEdited}
            title={isEdited ? 'Save or discard the changes first.' : 'Rename, merge or delete an option…'}
            onClick={() => setIsChanging(true)}
          >
            Rename, merge or delete an option…
          </Button>
        }
      >
        <TextList
          label="Options"
          itemLabel="Option"
          hint="The possible answers. A change needs a new training."
          values={draft.options}
          onValues={(options) => edit({ options }, `options-${options.length}`)}
          minimum={limits.minOptions}
          mark={(option) => <OptionMark typeId={type.id} option={option} />}
        />
        <RemovedOptions type={type} options={draft.options} />
      </Part>
      <Part title="Reasons">
        <TextList
          label="Reason codes"
          itemLabel="Reason code"
          hint="Short codes that say why, for rules and examples."
          values={draft.reason_codes}
          onValues={(reason_codes) => edit({ reason_codes }, `reasons-${reason_codes.length}`)}
        />
      </Part>
      <Part title="Personal data">
        <div className="stack">
          <TagsInput
            size="xs"
            comboboxProps={{ keepMounted: false }}
            label="PII fields"
            description="Dotted paths, such as customer.email. Their values are replaced before anything is written."
            value={draft.pii_fields}
            onChange={(pii_fields) => edit({ pii_fields })}
          />
          <NumberInput
            label="Keep log records for (days)"
            description="Leave it empty to keep them for ever."
            min={1}
            max={maxRetentionDays}
            value={draft.retention_days ?? ''}
            onChange={(days) => edit({ retention_days: days === '' ? null : Number(days) }, 'retention')}
          />
        </div>
      </Part>
    </div>
  );
}

/** Says what an option leaves behind when it goes. */
function RemovedOptions({ type, options }: { type: DecisionType; options: readonly string[] }) {
  const removed = type.active_version.options.filter((option) => !options.includes(option));
  if (removed.length === 0) return null;
  return (
    <p className="note warn">
      Examples labelled {removed.map((option) => `“${isolate(option)}”`).join(', ')} keep a label that is then no
      option. To change them with it, discard this and use “Rename, merge or delete an option”.
    </p>
  );
}
