import { Button, Checkbox, NumberInput, SegmentedControl, TagsInput, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { DraftBar } from '../../parts/explained/draft-bar.tsx';
import { GrowingText } from '../../parts/fields/growing-text.tsx';
import { useNameTwin } from '../../parts/fields/name-twin.ts';
import { TextList } from '../../parts/fields/text-list.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Part } from '../../parts/notes.tsx';
import { OptionMark } from '../../parts/option.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { SaveTools } from '../../parts/save-tools.tsx';
import { isolate } from '../../parts/text/names.ts';
import { changedFields } from '../../state/drafts.ts';
import { changeQuery, useQueryPart } from '../../state/route.ts';
import { useDraft } from '../../state/use-draft.ts';
import { InputSchema } from './input-schema.tsx';
import { Residue } from './residue.tsx';
import { Thresholds } from './thresholds.tsx';

// They come when they are first opened: most who define a type change no option that has examples.
const Readings = lazy(async () => ({ default: (await import('./readings.tsx')).Readings }));
const Versions = lazy(async () => ({ default: (await import('./versions.tsx')).Versions }));
const ChangeOption = lazy(async () => ({ default: (await import('./change-option.tsx')).ChangeOption }));

const maxRetentionDays = 3_650;
const minAuditPercent = 0.01;

/** Defines what is decided: name, options, reason codes, thresholds, fallback, input shape; and its versions. */
export function Define({ type }: { type: DecisionType }) {
  const { beside = 'unsure' } = useQueryPart();
  const { base, draft } = useDraft(type);
  return (
    <Place
      id="define"
      title="Define"
      cards
      head={
        <Figure
          className="tag"
          says="The active version; each change of options, reason codes, rules, schema or thresholds makes a new one."
        >
          version {type.active_version.version_number}
        </Figure>
      }
      tools={<SaveTools type={type} />}
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
            <Suspense>
              <Versions type={type} />
            </Suspense>
          ) : beside === 'input' ? (
            <Suspense>
              <Readings type={type} />
              <InputSchema type={type} />
            </Suspense>
          ) : (
            <Thresholds type={type} />
          )}
        </Pane>
      }
    >
      <DraftBar type={type} isEdited={changedFields(base, draft).length > 0} />
      <Question type={type} />
    </Place>
  );
}

function Question({ type }: { type: DecisionType }) {
  const { draft, edit } = useDraft(type);
  const twin = useNameTwin(draft.name, type.id);
  return (
    <div className="form columns">
      <Part title="The question">
        <div className="stack">
          <TextInput
            label="Name"
            description="Programs ask for decisions by this name."
            value={draft.name}
            onChange={(event) => edit({ name: event.currentTarget.value }, 'name')}
            maxLength={limits.maxTypeNameLength}
            error={type.name === draft.name ? type.name_notice : twin?.problem}
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
      <div className="pair">
        <Answers type={type} />
        <Part title="Reason codes">
          <TextList
            label="Reason codes"
            itemLabel="Reason code"
            hint="Short codes that say why, for rules and examples."
            values={draft.reason_codes}
            onValues={(reason_codes) => edit({ reason_codes }, `reasons-${reason_codes.length}`)}
          />
        </Part>
      </div>
      <Audit type={type} />
      <Part title="Releases">
        <Checkbox
          label="Publish by hand"
          description="Rules, thresholds and the like, also those that programs send, wait in the draft until it is published, and trained policies until they are deployed."
          checked={draft.publish_by_hand}
          onChange={(event) => edit({ publish_by_hand: event.currentTarget.checked, publish_by_another: false })}
        />
        {draft.publish_by_hand && (
          <Checkbox
            label="Not by its author"
            description="Four eyes: what decides is released by somebody who has not made it. Two have to ask to switch this off."
            checked={draft.publish_by_another}
            onChange={(event) => edit({ publish_by_another: event.currentTarget.checked })}
          />
        )}
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
          <Residue type={type} />
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

/** How many live decisions are drawn to be judged blind: a share of all, or this many of each week. */
function Audit({ type }: { type: DecisionType }) {
  const { draft, edit } = useDraft(type);
  const { audit } = draft;
  const [chosen, setChosen] = useState<'share' | 'per_week'>('share');
  const unit = audit === null ? chosen : audit.per_week === undefined ? 'share' : 'per_week';
  const field =
    unit === 'share'
      ? { label: 'Decisions to judge blind (%)', min: minAuditPercent, max: 100, decimals: 2, ofField: 100 }
      : { label: 'Decisions of a week to judge blind', min: 1, max: limits.maxAuditPerWeek, decimals: 0, ofField: 1 };
  const value = audit?.[unit];
  return (
    <Part
      title="Audit"
      tools={
        <SegmentedControl
          aria-label="How many to draw"
          value={unit}
          onChange={(next) => {
            setChosen(next === 'share' ? 'share' : 'per_week');
            if (audit !== null) edit({ audit: null }, 'audit');
          }}
          data={[
            { value: 'share', label: 'Share' },
            { value: 'per_week', label: 'A week' },
          ]}
        />
      }
    >
      <NumberInput
        label={field.label}
        description={`Live decisions drawn at random for the queue Audit${unit === 'share' ? '' : ' when a week ends, on Monday'}; their judgements give the live error. Empty: none.`}
        min={field.min}
        max={field.max}
        decimalScale={field.decimals}
        value={value === undefined ? '' : value * field.ofField}
        onChange={(entered) =>
          edit({ audit: entered === '' ? null : { [unit]: Number(entered) / field.ofField } }, 'audit')
        }
      />
    </Part>
  );
}

/** The options, and the way to change one everywhere, once nothing else is edited. */
function Answers({ type }: { type: DecisionType }) {
  const { base, draft, edit } = useDraft(type);
  const [isChanging, setIsChanging] = useState(false);
  const isEdited = changedFields(base, draft).length > 0;
  return (
    <Part
      title="Options"
      tools={
        <Button
          size="compact-xs"
          disabled={isEdited}
          title={isEdited ? 'Save or discard the changes first.' : 'Rename, merge or delete an option…'}
          onClick={() => setIsChanging(true)}
        >
          Change an option…
        </Button>
      }
    >
      {isChanging && (
        <Suspense>
          <ChangeOption type={type} onClose={() => setIsChanging(false)} />
        </Suspense>
      )}
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
  );
}

function RemovedOptions({ type, options }: { type: DecisionType; options: readonly string[] }) {
  const removed = type.active_version.options.filter((option) => !options.includes(option));
  if (removed.length === 0) return null;
  return (
    <p className="note warn">
      Examples labelled {removed.map((option) => `“${isolate(option)}”`).join(', ')} keep a label that is then no
      option. To change them with it, discard this and use “Change an option”.
    </p>
  );
}
