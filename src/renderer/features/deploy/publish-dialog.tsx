/** The dialog between a draft and its release. */
import { useState } from 'react';
import { describeVerdict } from '../../../engine/measure/describe-verdict.ts';
import type { RulesEffect } from '../../../engine/measured.ts';
import { formatShare } from '../../../engine/numeric.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ReasonField } from '../../parts/fields/reason-field.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { OptionCell } from '../../parts/option.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { amount, count, number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';
import { useUndo } from '../../state/use-undo.ts';

/** The newest logged decisions that are made again. */
const replayed = 500;
/** Kinds of changes that are listed. */
const shownKinds = 8;
/** More changes than these are folded, so that their effect is in sight. */
const openChanges = 3;

/** Publishes a draft, as an act that can be taken back. */
function usePublish(type: DecisionType, onDone: () => void) {
  const create = useChange('releases.create');
  const { noteDone } = useUndo(type.id);
  const params = { decision_type_id: type.id };
  const toBack = (release: number, reason: string) => ({
    name: 'releases.create' as const,
    input: { params, body: { release, reason } },
  });
  const publish = (reason: string | null, ifMatch: string) =>
    create.mutate(
      { params, body: { reason }, ifMatch },
      {
        onSuccess: ({ release }) => {
          onDone();
          const back = toBack(release - 1, `Release ${release} was taken back.`);
          const again = toBack(release, `Release ${release} once more.`);
          noteDone(`Published release ${release}`, `Release ${release} decides now.`, back, again);
        },
      },
    );
  return { publish, isPending: create.isPending, error: create.error };
}

/** Asks before a draft decides: what it changes on unseen examples, in costs and on the log, and why it should. */
export function PublishDialog({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const params = { decision_type_id: type.id };
  const enabled = type.draft !== null;
  const quick = useOperation('drafts.get', { params, query: { logged: 0 } }, { enabled, keepPrevious: true });
  const whole = useOperation('drafts.get', { params, query: { logged: replayed } }, { enabled });
  const { publish, isPending, error } = usePublish(type, onClose);
  const [reason, setReason] = useState('');
  const draft = quick.data;
  const changes = (draft ?? type.draft)?.changes ?? [];
  const holds = draft?.holds ?? [];
  const isHeld = holds.length > 0;
  const isReady = draft !== undefined && draft.conflicts.length === 0 && !(isHeld && reason.trim() === '');
  return (
    <FormDialog
      title="Publish the draft?"
      size="lg"
      act="Publish"
      cancel="Not now"
      isPlain={isHeld}
      disabled={!isReady}
      isPending={isPending}
      error={error}
      onSubmit={() => isReady && publish(reason.trim() || null, draft.etag)}
      onClose={onClose}
    >
      {quick.isError && <ErrorNote error={quick.error} retry={() => void quick.refetch()} />}
      <details open={changes.length <= openChanges}>
        <summary>{count(changes.length, 'change')}</summary>
        <ul>
          {changes.map((change) => (
            <li key={change} className="wrap">
              {showUnseen(change)}
            </li>
          ))}
        </ul>
      </details>
      {!draft && !quick.isError && <Busy>Trying the draft on unseen examples…</Busy>}
      <Contradictions type={type} />
      {draft?.unseen && <Unseen effect={draft.unseen} currency={type.costs?.currency ?? null} />}
      {whole.data?.logged ? (
        <Logged typeId={type.id} logged={whole.data.logged} />
      ) : (
        whole.isFetching && <Busy>Deciding the newest logged inputs again…</Busy>
      )}
      {isHeld && (
        <div className="note error" role="status">
          <ul>
            {holds.map(({ sentence }) => (
              <li key={sentence} className="wrap">
                {showUnseen(sentence)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <ReasonField why={[reason, setReason]} isHeld={isHeld} isFirst />
    </FormDialog>
  );
}

/** Labels that new and changed rules contradict: a label weighs against a rule as test rows do. */
function Contradictions({ type }: { type: DecisionType }) {
  const rules = type.draft?.settings.hard_rules ?? [];
  const params = { decision_type_id: type.id };
  const { data } = useOperation('rules.analyse', { params, body: { rules } }, { enabled: rules.length > 0 });
  const live = new Set(type.active_version.hard_rules.map((rule) => JSON.stringify(rule)));
  const against = (data?.impact.rules ?? []).flatMap(({ rule: place, examples: { agrees, disagrees } }) => {
    const rule = rules[place];
    if (!rule || rule.hint || live.has(JSON.stringify(rule)) || disagrees === 0) return [];
    return [`“${isolate(rule.name)}” contradicts ${number(disagrees)} of ${count(agrees + disagrees, 'label')}.`];
  });
  return (
    <>
      {against.slice(0, shownKinds).map((sentence) => (
        <p key={sentence} className="bad-text wrap">
          {sentence}
        </p>
      ))}
    </>
  );
}

/** The whole decision on unseen examples, now and with the draft. */
function Unseen({ effect, currency }: { effect: RulesEffect; currency: string | null }) {
  const { rows, before, after } = effect;
  if (rows === 0) return <p className="muted">No unseen example is left to measure on.</p>;
  const share = (part: { share: number | null }) => (part.share === null ? '–' : formatShare(part.share));
  const cost = (value: number | null) => (value === null ? '–' : amount(value));
  const unit = currency === null ? '' : `, ${isolate(currency)}`;
  const lines: [name: string, now: string, then: string][] = [
    ['Correct', share(before.accuracy), share(after.accuracy)],
    ['Automated', share(before.automatic), share(after.automatic)],
    ['Wrong among these', share(before.error_automatic), share(after.error_automatic)],
    ...(before.cost_per_1000 === null
      ? []
      : [
          [
            `Cost of 1,000${unit}`,
            cost(before.cost_per_1000),
            cost(after.cost_per_1000),
          ] satisfies (typeof lines)[number],
        ]),
  ];
  return (
    <div className="stack tight">
      <strong>{describeVerdict(effect)} on unseen examples</strong>
      <PlainTable
        heads={[
          `On ${count(rows, 'example')}`,
          { name: 'Now', says: 'With what decides now.' },
          { name: 'Draft', says: 'With the draft in its place.' },
        ]}
      >
        {lines.map(([name, now, then]) => (
          <tr key={name}>
            <td>{name}</td>
            <td className="number">{now}</td>
            <td className="number">{now === then ? then : <strong>{then}</strong>}</td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}

type LoggedEffect = NonNullable<OutputOf<'drafts.get'>['logged']>;

/** The newest logged decisions that would be others. */
function Logged({ typeId, logged: { rows, refused, changed } }: { typeId: string; logged: LoggedEffect }) {
  const sum = changed.reduce((all, { decisions }) => all + decisions, 0);
  if (rows === 0 && refused === 0) return <p className="muted">No decision has been logged yet.</p>;
  return (
    <div className="stack tight">
      <strong>
        Of the newest {count(rows, 'logged decision')}, {sum === 0 ? 'none changes' : `${number(sum)} would change`}
      </strong>
      {changed.length > 0 && (
        <PlainTable heads={['Now', 'Draft', { name: 'Decisions', says: 'Logged decisions that would change so.' }]}>
          {changed.slice(0, shownKinds).map(({ from, to, decisions }) => (
            <tr key={`${from} ${to}`}>
              <OptionCell typeId={typeId} option={from} />
              <OptionCell typeId={typeId} option={to} />
              <td className="number">{number(decisions)}</td>
            </tr>
          ))}
        </PlainTable>
      )}
      {changed.length > shownKinds && (
        <p className="muted">And {count(changed.length - shownKinds, 'other kind')} of changes.</p>
      )}
      {refused > 0 && <p className="muted">{count(refused, 'input')} would be refused by an input schema.</p>}
    </div>
  );
}
