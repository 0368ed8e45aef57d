import { Button, SegmentedControl } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { PolicySummary } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { AccuracyCell, RightShare } from '../../parts/bars.tsx';
import { DraftBar } from '../../parts/explained/draft-bar.tsx';
import { PinnedCases } from '../../parts/explained/pinned-cases.tsx';
import { PromiseState } from '../../parts/explained/promise-state.tsx';
import { VerdictNotes } from '../../parts/explained/verdict-notes.tsx';
import { ReasonField, type Why } from '../../parts/fields/reason-field.tsx';
import { Busy, EmptyState, ErrorNote, Moment, Part } from '../../parts/notes.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { ReportButton } from '../../parts/report-button.tsx';
import { findAddress, toClient, toCurl, toOfflinePython } from '../../parts/text/programs.ts';
import { Snippet } from '../../parts/text/snippet.tsx';
import { notify } from '../../state/notices.tsx';
import { useChange, useOperation } from '../../state/queries.ts';
import { formatRoute, goTo } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { Aliases } from './aliases.tsx';
import { ArchiveExport, BundleExport } from './exports.tsx';
import { History, useReleases } from './history.tsx';
import { Questions } from './questions.tsx';

// It comes when it is first opened: few replay the log before each deployment.
const Replay = lazy(async () => ({ default: (await import('./replay.tsx')).Replay }));

/** Which policy decides, which did before, and how programs reach it: over REST, or offline with the bundle. */
export function Deploy({ type }: { type: DecisionType }) {
  const policies = useOperation('policies.list', { params: { decision_type_id: type.id } });
  const { data: releases, isPending } = useReleases(type);
  const why = useState('');
  const isDeployable = ({ id, status, deployed }: PolicySummary) =>
    status === 'trained' && !deployed && !releases?.items.some((release) => release.policy_id === id);
  return (
    <Place
      id="deploy"
      title="Deploy"
      cards
      besideShare={40}
      beside={
        <Pane title="For programs">
          <Programs type={type} />
        </Pane>
      }
    >
      {type.availability?.state === 'unavailable' && (
        <p className="note error">
          The deployed policy cannot be used right now, so only its rules decide. {type.availability.reason}
        </p>
      )}
      <DraftBar type={type} />
      {(policies.isPending || isPending) && <Busy>Loading policies…</Busy>}
      {policies.isError && <ErrorNote error={policies.error} retry={() => void policies.refetch()} />}
      {policies.data?.length === 0 && (
        <EmptyState
          title="No policy yet"
          actions={
            <Button variant="filled" onClick={() => goTo({ page: 'type', id: type.id, place: 'train' })}>
              Go to training
            </Button>
          }
        >
          A training makes a policy; here you say which one decides, and hand it to programs.
        </EmptyState>
      )}
      {policies.data && policies.data.length > 0 && !isPending && (
        <PolicyTable type={type} policies={policies.data} deployable={policies.data.filter(isDeployable)} why={why} />
      )}
      {type.model_deployed && <BundleExport type={type} policies={policies.data ?? []} />}
      <PinnedCases type={type} />
      {policies.data && policies.data.length > 0 && (
        <History type={type} why={why} isAsked={policies.data.some(isDeployable)} />
      )}
      {type.model_deployed && <Aliases type={type} />}
      <ArchiveExport type={type} />
    </Place>
  );
}

const tones: Record<string, string> = { deployed: 'good', trained: 'accent', failed: 'bad', training: 'warn' };

function useDeployment(type: DecisionType, deployed: PolicySummary | null, [reason, setReason]: Why) {
  const deploy = useChange('policies.deploy');
  const { noteDone } = useUndo(type.id);
  const toDeployment = ({ id }: PolicySummary, reason: string | null) => ({
    name: 'policies.deploy' as const,
    input: { params: { decision_type_id: type.id, policy_id: id }, body: { reason } },
  });
  const run = (policy: PolicySummary) => {
    const now = toDeployment(policy, reason.trim() || null);
    deploy.mutate(now.input, {
      onSuccess: ({ promise_standing: promised }) => {
        setReason((typed) => (typed === reason ? '' : typed));
        const unkept = promised?.state === 'not_kept' ? ` ${promised.sentence}` : '';
        const text = `Policy v${policy.version} is deployed.${unkept}`;
        if (deployed === null) return notify({ kind: 'info', text });
        const title = `Deployed v${policy.version}`;
        const back = toDeployment(deployed, `v${policy.version} was taken back.`);
        noteDone(title, text, back, now);
      },
    });
  };
  return { run, isPending: deploy.isPending, error: deploy.error };
}

type StandingProps = { type: DecisionType; newest: PolicySummary | undefined; deployed: PolicySummary | null };

/** Says what decides now and how well, and what is to be known before another policy does. */
function Standing({ type, newest, deployed }: StandingProps) {
  return (
    <>
      {deployed?.whole && <RightShare whole={deployed.whole} lead={`v${deployed.version} decides, `} />}
      {deployed && <VerdictNotes policy={deployed} kinds={['split', 'report', 'gate', 'groups', 'retraining']} />}
      <div className="stack tight">
        <PromiseState promise={type.declared_promise} />
        {newest?.status === 'trained' && (
          <VerdictNotes
            policy={newest}
            kinds={['report', 'gate', 'promise', 'must', 'worse', 'groups']}
            lead={`Policy v${newest.version} is held back. `}
          />
        )}
      </div>
    </>
  );
}

/** Whether the log can be replayed with a policy beside the one that decides now. */
const canReplay = ({ status, deployed }: PolicySummary) => status === 'trained' && !deployed;

/** Offers to deploy and to replay the newest policies; `onReplay` is null where nothing is deployed to compare with. */
function usePolicyCommands(
  policies: readonly PolicySummary[],
  deployable: readonly PolicySummary[],
  onDeploy: (policy: PolicySummary) => void,
  onReplay: ((policyId: string) => void) | null,
): void {
  useCommands(
    'Training',
    policies.slice(0, 5).flatMap((policy) => [
      {
        id: `deploy-${policy.id}`,
        title: `Deploy policy v${policy.version}`,
        enabled: deployable.includes(policy),
        run: () => onDeploy(policy),
      },
      {
        id: `replay-${policy.id}`,
        title: `Replay the log with v${policy.version}`,
        enabled: onReplay !== null,
        run: () => onReplay?.(policy.id),
      },
    ]),
  );
}

type PolicyTableProps = {
  type: DecisionType;
  policies: readonly PolicySummary[];
  /** Those that have not decided yet: to those that have, the history goes back. */
  deployable: readonly PolicySummary[];
  why: Why;
};

function PolicyTable({ type, policies, deployable, why }: PolicyTableProps) {
  const deployed = policies.find((policy) => policy.deployed) ?? null;
  const { run, isPending, error } = useDeployment(type, deployed, why);
  const [replayedId, setReplayedId] = useState('');
  const replayed = policies.find(({ id }) => id === replayedId);
  usePolicyCommands(policies.filter(canReplay), deployable, run, deployed && setReplayedId);
  return (
    <>
      <Part title="Deciding now" tools={deployed && <ReportButton typeId={type.id} policyId={deployed.id} />}>
        <div className="stack">
          <Standing type={type} newest={policies[0]} deployed={deployed} />
          {error && <ErrorNote error={error} />}
          {deployable.length > 0 && <ReasonField why={why} />}
          {/* The headline says all of a policy that is the only one. */}
          {(policies.length > 1 || !deployed?.whole) && (
            <PlainTable
              heads={[
                'Policy',
                'Status',
                {
                  name: 'Correct',
                  says: 'The share of unseen examples that the current rules, classifier and thresholds together decide correctly, and where it lies with 95% certainty.',
                },
                {
                  name: 'Shared test rows',
                  says: 'How many of the rows that this policy and the deployed one have both held out each decides correctly.',
                },
                'Made',
                { name: 'Actions', isHidden: true },
              ]}
            >
              {policies.map((policy) => (
                <PolicyRow
                  key={policy.id}
                  type={type}
                  policy={policy}
                  deployed={deployed}
                  onDeploy={deployable.includes(policy) ? () => run(policy) : null}
                  isPending={isPending}
                  onReplay={() => setReplayedId(policy.id)}
                />
              ))}
            </PlainTable>
          )}
        </div>
      </Part>
      {deployed && replayed && (
        <Suspense>
          <Replay
            key={`${deployed.id} ${replayedId}`}
            type={type}
            policy={replayed}
            deployed={deployed}
            onClose={() => setReplayedId('')}
          />
        </Suspense>
      )}
    </>
  );
}

type PolicyRowProps = {
  type: DecisionType;
  policy: PolicySummary;
  deployed: PolicySummary | null;
  isPending: boolean;
  /** null for a policy that is not to be deployed here. */
  onDeploy: (() => void) | null;
  onReplay(): void;
};

function PolicyRow({ type, policy, deployed, isPending, onDeploy, onReplay }: PolicyRowProps) {
  return (
    <tr>
      <td>
        <a
          href={formatRoute({ page: 'type', id: type.id, place: 'evaluate', query: { policy: policy.id } })}
          aria-label={`Evaluate v${policy.version}`}
        >
          v{policy.version}
        </a>
      </td>
      <td>
        <span className={`tag ${tones[policy.status] ?? ''}`}>{policy.status}</span>
        {policy.held_back && (
          <span className="tag warn" title={policy.held_back}>
            held back
          </span>
        )}
      </td>
      <td className="number">
        <AccuracyCell accuracy={policy.whole?.accuracy} />
      </td>
      <td className="number">
        {deployed === null || policy.accuracy === null || policy.deployed ? (
          '–'
        ) : (
          <OnCommonRows type={type} policy={policy} deployed={deployed} />
        )}
      </td>
      <td>
        <Moment iso={policy.created_at} />
      </td>
      <td className="number">
        {canReplay(policy) && deployed !== null && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Replay the log with v${policy.version}`}
            title="What it would decide otherwise, of the inputs that were logged last."
            onClick={onReplay}
          >
            Replay
          </Button>
        )}{' '}
        {onDeploy && (
          <Button size="compact-xs" disabled={isPending} aria-label={`Deploy v${policy.version}`} onClick={onDeploy}>
            Deploy
          </Button>
        )}
      </td>
    </tr>
  );
}

type OnCommonRowsProps = { type: DecisionType; policy: PolicySummary; deployed: PolicySummary };

/** A policy beside the deployed one, on the same rows: their shares of all rows are of different ones. */
function OnCommonRows({ type, policy, deployed }: OnCommonRowsProps) {
  const compared = useOperation('policies.compare', {
    params: { decision_type_id: type.id, policy_id: policy.id },
    query: { with: deployed.id, judged: 'whole_decision', page_size: 1 },
  });
  if (!compared.data) return '…';
  const { rows, both_right: both, only_first_right: first, only_second_right: second } = compared.data;
  if (rows === 0) return 'none';
  return `${both + first} of ${rows}, v${deployed.version} ${both + second}`;
}

function Programs({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const examples = useOperation('examples.list', { params, query: { page_size: 1 } });
  const input = examples.data?.items[0]?.input_payload ?? {};
  const address = findAddress();
  const snippets = {
    curl: toCurl(address, type.name, input),
    'Python, offline': toOfflinePython(type.name, input),
    'OpenAI client': toClient(address, type.name, type.active_version.options, input),
  };
  const [shown, setShown] = useState<keyof typeof snippets>('curl');
  return (
    <div className="part stack">
      <a href={formatRoute({ page: 'settings', section: 'keys' })}>Make a key for programs</a>
      <Snippet
        name={shown}
        text={snippets[shown]}
        head={
          <SegmentedControl
            aria-label="Program"
            value={shown}
            onChange={setShown}
            data={['curl', 'Python, offline', 'OpenAI client'] as const}
          />
        }
      />
      <Questions type={type} />
    </div>
  );
}
