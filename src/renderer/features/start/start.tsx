import { Button, FileButton } from '@mantine/core';
import { useIsMutating, useMutation } from '@tanstack/react-query';
import { isInProgress } from '../../../engine/domain/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { invalidate } from '../../api/changes.ts';
import { Busy, ErrorNote, Moment } from '../../parts/notes.tsx';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { change, useChange, useOperation } from '../../state/queries.ts';
import { useUi, useWorkbench, type Workbench } from '../../state/workbench.ts';
import './start.css';
import { AccuracyCell } from '../../parts/bars.tsx';
import { Pane } from '../../parts/panes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { acceptedFiles } from '../../parts/text/accepted-files.ts';
import { number } from '../../parts/text/figures.ts';
import { formatRoute, goTo } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';

const pollMs = 2_000;
const mutationKey = ['retrain'];

/** Names the types whose policies must be trained again, and trains all on a press; nothing without any. */
function RetrainingNote({ types }: { types: readonly DecisionType[] }) {
  const workbench = useWorkbench();
  const outdated = types.filter((type) => type.needs_retraining);
  const retrain = useMutation({ mutationKey, mutationFn: () => trainInTurn(workbench, outdated) });
  // Somebody may leave the page and come back meanwhile.
  const isTraining = useIsMutating({ mutationKey }) > 0;
  if (outdated.length === 0) return null;
  return (
    <div className="note warn stack tight" role="status">
      <p className="wrap">
        These decision types need a new training, because their options have changed or their policies were trained with
        another text model: {outdated.map(({ name }) => isolate(name)).join(', ')}.
      </p>
      {retrain.error && <ErrorNote error={retrain.error} />}
      {isTraining ? (
        <Busy>Training one after the other; each type decides as soon as it is trained.</Busy>
      ) : (
        <Button onClick={() => retrain.mutate()}>
          {outdated.length === 1 ? 'Train it again' : `Train all ${outdated.length} again`}
        </Button>
      )}
    </div>
  );
}

/** Queues a training of each type, and follows them to their ends; rejects with what failed. */
async function trainInTurn(workbench: Workbench, types: readonly DecisionType[]): Promise<void> {
  const ends = await Promise.allSettled(types.map(({ id }) => train(workbench, id)));
  const failures = ends.flatMap((end, at) =>
    end.status === 'fulfilled'
      ? []
      : [`${types[at]?.name}: ${end.reason instanceof Error ? end.reason.message : String(end.reason)}`],
  );
  if (failures.length > 0) throw new Error(failures.join(' '));
}

/** Trains a type with the settings of its last training, unless one is in progress: that one is followed. */
async function train(workbench: Workbench, typeId: string): Promise<void> {
  const params = { decision_type_id: typeId };
  const last = (await workbench.client.call('policies.list', { params })).find(
    ({ policy_type }) => policy_type !== 'rules_only',
  );
  const config =
    last &&
    (await workbench.client.call('policies.get', { params: { ...params, policy_id: last.id } })).training_config;
  const policy_id =
    last && isInProgress(last.status)
      ? last.id
      : (await change(workbench, 'training.start', { params, body: { ...config, auto_deploy: true } })).policy_id;
  for (;;) {
    const progress = await workbench.client.call('policies.progress', { params: { ...params, policy_id } });
    if (progress.status === 'failed') throw new Error(progress.error ?? 'The training failed.');
    if (!isInProgress(progress.status)) break;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  await invalidate(workbench.queries, { names: ['decision_types.list', 'decision_types.get'], typeId: null });
}

/** Options named in the list; who has more sees the first ones. */
const maxNamedOptions = 20;

/** The first page: a file, the sample, or the decision types that there are. */
export function Start({ types }: { types: readonly DecisionType[] }) {
  return (
    <Pane title={types.length === 0 ? 'Welcome' : 'Decision types'} level={1} cards>
      <div className="start stack">
        <RetrainingNote types={types} />
        {types.length > 0 && <TypesTable types={types} />}
        <Beginnings types={types} />
      </div>
    </Pane>
  );
}

function Beginnings({ types }: { types: readonly DecisionType[] }) {
  const { ui } = useWorkbench();
  const takeFile = useUi((state) => state.takeFile);
  const samples = useOperation('samples.list', {}, { staleMs: Number.POSITIVE_INFINITY });
  const openSample = useChange('samples.create');
  const startSample = (name: string) => {
    const existing = types.find((type) => type.name === name);
    const open = (id: string) => goTo({ page: 'type', id, place: 'examples' });
    if (existing) return open(existing.id);
    openSample.mutate({ params: { name } }, { onSuccess: ({ id }) => open(id) });
  };
  useCommands(
    'Create',
    (samples.data ?? []).map((sample) => ({
      id: `sample-${sample.name}`,
      title: `Open the sample project: ${sample.title}`,
      run: () => startSample(sample.name),
    })),
  );
  const sample = samples.data?.[0];
  return (
    <section className="beginnings" aria-label="Begin">
      <div className="part stack tight first">
        <h2>Drop a spreadsheet here</h2>
        <p className="muted">Its columns are recognised. Nothing is stored before you have seen it.</p>
        <div>
          <FileButton
            accept={acceptedFiles}
            onChange={(file) => {
              if (!file) return;
              takeFile({ file });
              goTo({ page: 'new' });
            }}
          >
            {(props) => (
              <Button variant="filled" {...props}>
                Choose a file…
              </Button>
            )}
          </FileButton>
        </div>
      </div>
      <div className="part stack tight">
        <h2>Look around in a sample</h2>
        <p className="muted">
          {sample
            ? `${sample.title}: ${sample.examples} examples with rules, ready to be trained in a few seconds.`
            : 'A small project with rules and examples.'}
        </p>
        <div className="row">
          <Button disabled={!sample} loading={openSample.isPending} onClick={() => sample && startSample(sample.name)}>
            Open sample project
          </Button>
          {openSample.isPending && <Busy>Making the sample project…</Busy>}
        </div>
        {openSample.isError && <ErrorNote error={openSample.error} />}
        {samples.isError && <ErrorNote error={samples.error} />}
      </div>
      <div className="part stack tight">
        <h2>Begin with the question</h2>
        <p className="muted">Name a question that a program asks again and again, and list its possible answers.</p>
        <Button onClick={() => ui.getState().show('new-type')}>New decision type</Button>
      </div>
      {types.length === 0 && <p className="muted way">Data → Labels → Train → Check → Deploy, all on this machine.</p>}
    </section>
  );
}

function TypesTable({ types }: { types: readonly DecisionType[] }) {
  const metrics = useOperation('metrics.organisation', {}, { staleMs: 30_000 });
  const decisions = new Map(metrics.data?.decision_types.map(({ id, decisions_24h }) => [id, decisions_24h]));
  return (
    <PlainTable
      className="part"
      heads={[
        'Name',
        'State',
        { name: 'Correct', says: 'The share of unseen examples that the deployed policy decides correctly.' },
        { name: 'Decisions, 24 h', says: 'Decisions in the last 24 hours.' },
        'Options',
        { name: 'Rules', says: 'Rules that decide before the classifier is asked.' },
        'Changed',
      ]}
    >
      {types.map((type) => (
        <tr key={type.id}>
          <td>
            <a
              className="strong clip"
              title={showUnseen(type.name)}
              href={formatRoute({ page: 'type', id: type.id, place: 'examples' })}
            >
              {showUnseen(type.name)}
            </a>
          </td>
          <td>
            <TypeTag type={type} />
          </td>
          <td className="number strong">
            <Correct type={type} />
          </td>
          <td className="number">{number(decisions.get(type.id) ?? 0)}</td>
          <td className="options-cell">
            <OptionNames options={type.active_version.options} />
          </td>
          <td className="number">{type.active_version.hard_rules.length}</td>
          <td>
            <Moment iso={type.updated_at} />
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

/** Says the figure of the deployed policy that its type's own places quote. */
function Correct({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const policies = useOperation('policies.list', { params }, { enabled: type.model_deployed, staleMs: 30_000 });
  const whole = policies.data?.find(({ deployed }) => deployed)?.whole;
  return type.model_deployed && policies.data ? <AccuracyCell accuracy={whole?.accuracy} /> : '–';
}

function OptionNames({ options }: { options: readonly string[] }) {
  const names = options.slice(0, maxNamedOptions).map(isolate).join(', ');
  return (
    <span className="clip" title={names}>
      {names}
    </span>
  );
}

function TypeTag({ type }: { type: DecisionType }) {
  if (type.availability?.state === 'unavailable') {
    return (
      <span className="tag bad" title={type.availability.reason ?? ''}>
        unavailable
      </span>
    );
  }
  if (type.needs_retraining) return <span className="tag warn">needs retraining</span>;
  return type.model_deployed ? <span className="tag good">deployed</span> : <span className="tag">not trained</span>;
}
