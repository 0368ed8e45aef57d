import './start.css';
import { Button, FileButton } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { AccuracyCell } from '../../parts/bars.tsx';
import { Busy, ErrorNote, Moment } from '../../parts/notes.tsx';
import { Pane } from '../../parts/panes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { acceptedFiles } from '../../parts/text/accepted-files.ts';
import { number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';
import { formatRoute, goTo } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUi, useWorkbench } from '../../state/workbench.ts';
import { RetrainingNote } from './retraining-note.tsx';

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
