import { Button } from '@mantine/core';
import { formatShare } from '../../../engine/numeric.ts';
import type { Release } from '../../../server/contract/policies/releases.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ReasonField, type Why } from '../../parts/fields/reason-field.tsx';
import { Busy, ErrorNote, Moment, Part } from '../../parts/notes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { useChange, useOperation } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';

const shownRows = 20;
/** Changes of one release that are shown; the rest is counted. */
const shownChanges = 4;
/** Digits of a digest that tell the releases of one type apart. */
const shownDigits = 8;

/** Goes back to a release, as an act that can be taken back. */
function useRestore(type: DecisionType, current: Release | undefined, [reason, setReason]: Why) {
  const restore = useChange('releases.create');
  const { noteDone } = useUndo(type.id);
  const toCall = (release: number, why: string | null) => ({
    name: 'releases.create' as const,
    input: { params: { decision_type_id: type.id }, body: { release, reason: why } },
  });
  const run = ({ release }: Release) => {
    const now = toCall(release, reason.trim() || null);
    restore.mutate(now.input, {
      onSuccess: (made) => {
        setReason((typed) => (typed === reason ? '' : typed));
        const text = `Release ${made.release} decides as release ${release} did.`;
        if (current === undefined) return notify({ kind: 'info', text });
        const back = toCall(current.release, `Release ${made.release} was taken back.`);
        noteDone(`Back to release ${release}`, text, back, now);
      },
    });
  };
  return { run, isPending: restore.isPending, error: restore.error };
}

/** The newest releases of a type. */
export const useReleases = (type: DecisionType) =>
  useOperation('releases.list', { params: { decision_type_id: type.id }, query: { page_size: shownRows } });

type HistoryProps = {
  type: DecisionType;
  why: Why;
  /** Whether the reason is asked for elsewhere. */
  isAsked: boolean;
};

/** Shows every release of a type: what decided, since when, by whom and why; each can decide again, for a reason. */
export function History({ type, why, isAsked }: HistoryProps) {
  const { data, error } = useReleases(type);
  const releases = data?.items ?? [];
  const now = releases.find(({ current }) => current);
  const restore = useRestore(type, now, why);
  const isOther = ({ digest, policy_id }: Release) => digest !== now?.digest || policy_id !== now.policy_id;
  useCommands(
    'Training',
    releases
      .filter(isOther)
      .slice(0, 3)
      .map((release) => ({
        id: `restore-${release.release}`,
        title: `Back to release ${release.release}`,
        run: () => restore.run(release),
      })),
  );
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Busy>Loading the history…</Busy>;
  if (data.total === 0) return null;
  return (
    <Part title="History">
      <div className="stack">
        {restore.error && <ErrorNote error={restore.error} />}
        {!isAsked && releases.some(isOther) && <ReasonField why={why} />}
        <ol>
          {releases.map((release) => (
            <ReleaseItem
              key={release.release}
              release={release}
              isOther={isOther(release)}
              isPending={restore.isPending}
              onRestore={() => restore.run(release)}
            />
          ))}
        </ol>
        {data.total > shownRows && (
          <p className="muted">
            The newest {shownRows} of {number(data.total)}.
          </p>
        )}
      </div>
    </Part>
  );
}

/** Says what became of the decisions of a release, as far as the log goes back: a part of a line. */
function describeLive({ decisions, escalated, checked, wrong }: Release['live']): string {
  if (decisions === 0) return 'no decision in the log';
  const alone = `${count(decisions, 'decision')}, ${formatShare((decisions - escalated) / decisions)} automated`;
  return checked === 0 ? alone : `${alone}, ${number(wrong)} of ${number(checked)} that people checked wrong`;
}

type ItemProps = {
  release: Release;
  /** Whether it decides otherwise than what decides now. */
  isOther: boolean;
  isPending: boolean;
  onRestore: () => void;
};

function ReleaseItem({ release, isOther, isPending, onRestore }: ItemProps) {
  const { automatic, by, reason, changes, current, aliases, replaced_at, live } = release;
  const more = changes.length - shownChanges;
  const shown = [
    ...changes.slice(0, shownChanges),
    ...(more > 0 ? [more === 1 ? 'One more change.' : `${number(more)} more changes.`] : []),
  ];
  return (
    <li className="part stack tight">
      <div className="row still">
        <details className="one-line grow wrap">
          <summary>
            <strong>Release {release.release}</strong> <span>{release.policy_version}</span>{' '}
            {aliases.map((alias) => (
              <span key={alias} className="tag">
                {alias}
              </span>
            ))}{' '}
            {reason !== null && <span>{showUnseen(reason)} </span>}
            <span className="muted">{shown.map(showUnseen).join(' ')}</span>
          </summary>
        </details>
        {current && <span className="tag good">decides now</span>}
        {isOther && (
          <Button
            size="compact-xs"
            disabled={isPending}
            aria-label={`Back to this one: release ${release.release}`}
            onClick={onRestore}
          >
            Back to this one
          </Button>
        )}
      </div>
      <p className="muted small">
        <Moment iso={release.created_at} />
        {automatic ? ', automatically after training' : by === null ? '' : ` by ${showUnseen(by)}`}
        {replaced_at !== null && (
          <>
            , until <Moment iso={replaced_at} />
          </>
        )}{' '}
        · <span>{describeLive(live)}</span> · <span className="mono">{release.digest.slice(0, shownDigits)}</span>
      </p>
    </li>
  );
}
