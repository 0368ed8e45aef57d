import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { PolicySummary } from '../../../server/contract/training.ts';
import { useChange, useOperation } from '../../api/queries.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { FigureHead } from '../../parts/figure.tsx';
import { decimal, percent } from '../../parts/figures.ts';
import { Busy, EmptyState, ErrorNote, Moment, Part } from '../../parts/notes.tsx';
import { Pane, PlaceLayout } from '../../parts/panes.tsx';
import { findAddress, toCurl, toOfflinePython, toPython, toTypeScript } from '../../parts/programs.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Snippet } from '../../parts/snippet.tsx';
import { useUndo } from '../../parts/use-undo.ts';
import { notify } from '../../state/notices.tsx';
import { formatRoute, goTo } from '../../state/route.ts';
import { useWorkbench } from '../../workbench.tsx';

/** Which policy decides, which did before, and how programs reach it: over REST, or offline with the bundle. */
export function Deploy({ type }: { type: DecisionType }) {
  const policies = useOperation('policies.list', { params: { decision_type_id: type.id } });
  return (
    <PlaceLayout
      id="deploy"
      main={
        <Pane title="Deploy" level={1}>
          {type.availability?.state === 'unavailable' && (
            <p className="note error">
              The deployed policy cannot be used now: only its rules decide. {type.availability.reason}
            </p>
          )}
          {policies.isPending && <Busy>Loading policies…</Busy>}
          {policies.isError && <ErrorNote error={policies.error} retry={() => void policies.refetch()} />}
          {policies.data?.length === 0 && (
            <EmptyState
              title="No policy yet"
              actions={
                <Button onClick={() => goTo({ page: 'type', id: type.id, place: 'train' })}>Go to training</Button>
              }
            >
              A training makes a policy; here you say which one decides, and hand it to programs.
            </EmptyState>
          )}
          {policies.data && policies.data.length > 0 && <PolicyTable type={type} policies={policies.data} />}
          {type.model_deployed && <Export type={type} />}
        </Pane>
      }
      beside={
        <Pane title="For programs">
          <Programs type={type} />
        </Pane>
      }
    />
  );
}

const tones: Record<string, string> = { deployed: 'good', trained: 'accent', failed: 'bad', training: 'warn' };

function PolicyTable({ type, policies }: { type: DecisionType; policies: readonly PolicySummary[] }) {
  const deploy = useChange('policies.deploy');
  const deployed = policies.find((policy) => policy.deployed) ?? null;
  const { acts } = useWorkbench();
  const { undo } = useUndo(type.id);
  const run = (policy: PolicySummary) =>
    deploy.mutate(
      { params: { decision_type_id: type.id, policy_id: policy.id } },
      {
        onSuccess: () => {
          const text = `Policy v${policy.version} is deployed.`;
          if (deployed === null) return notify({ kind: 'info', text });
          const before = { decision_type_id: type.id, policy_id: deployed.id };
          acts.done(type.id, `Deployed v${policy.version}`, 'policies.deploy', { params: before });
          notify({ kind: 'info', text, undo });
        },
      },
    );
  const isEarlier = ({ version }: PolicySummary) => deployed !== null && version < deployed.version;
  const deployable = policies.filter((policy) => policy.status === 'trained' && !policy.deployed);
  useCommands(
    deployable.slice(0, 5).map((policy) => ({
      id: `deploy-${policy.id}`,
      title: `Deploy policy v${policy.version}`,
      group: 'Training',
      run: () => run(policy),
    })),
  );
  return (
    <Part title="Policies">
      {deploy.isError && <ErrorNote error={deploy.error} />}
      <div className="scroll">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Policy</th>
              <th scope="col">Status</th>
              <FigureHead says="The share of unseen examples that the classifier decides correctly.">Right</FigureHead>
              <FigureHead says="The mean of the F1 of all options, each counting the same however rare it is.">
                Macro F1
              </FigureHead>
              <FigureHead says="The examples that the measured classifier learned from.">Trained on</FigureHead>
              <th scope="col">Made</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {policies.map((policy) => (
              <tr key={policy.id}>
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
                </td>
                <td className="number">{policy.accuracy === null ? '–' : percent(policy.accuracy)}</td>
                <td className="number">{policy.macro_f1 === null ? '–' : decimal(policy.macro_f1, 3)}</td>
                <td className="number">{policy.train_size?.toLocaleString() ?? '–'}</td>
                <td>
                  <Moment iso={policy.created_at} />
                </td>
                <td className="number">
                  {policy.status === 'trained' && !policy.deployed && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      disabled={deploy.isPending}
                      aria-label={`${isEarlier(policy) ? 'Roll back to' : 'Deploy'} v${policy.version}`}
                      onClick={() => run(policy)}
                    >
                      {isEarlier(policy) ? 'Roll back' : 'Deploy'}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Part>
  );
}

/** The bundle: what is in it, and its download. */
function Export({ type }: { type: DecisionType }) {
  const { client } = useWorkbench();
  const [slim, setSlim] = useState(false);
  const [state, setState] = useState<{ isRunning: boolean; error: unknown; done: string | null }>({
    isRunning: false,
    error: null,
    done: null,
  });
  const run = async () => {
    setState({ isRunning: true, error: null, done: null });
    try {
      const { blob, fileName } = await client.download('bundle.export', {
        params: { decision_type_id: type.id },
        query: { slim },
      });
      const name = fileName ?? `${type.name}.zip`;
      saveFile(blob, name);
      setState({
        isRunning: false,
        error: null,
        done: `${name}, ${decimal(blob.size / 1_000_000, 1)} MB, is in your downloads.`,
      });
    } catch (error) {
      setState({ isRunning: false, error, done: null });
    }
  };
  useCommands([
    { id: 'export-bundle', title: 'Export bundle', group: 'Files', enabled: !state.isRunning, run: () => void run() },
  ]);
  return (
    <Part title="Use it offline">
      <div className="stack">
        <p className="muted">
          The bundle holds the classifier, the rules, the thresholds, a model card and the text model. It decides
          without this program and without a network, and tests itself on known inputs when it is opened.
        </p>
        <Checkbox
          label="Leave the text model out"
          description="A slim bundle is small, but whoever opens it needs the text model from elsewhere."
          checked={slim}
          onChange={(event) => setSlim(event.currentTarget.checked)}
        />
        <div className="row">
          <Button loading={state.isRunning} onClick={() => void run()}>
            Export bundle
          </Button>
          {state.isRunning && <Busy>Packing the bundle…</Busy>}
          {state.done && <span role="status">{state.done}</span>}
        </div>
        {state.error !== null && <ErrorNote error={state.error} />}
      </div>
    </Part>
  );
}

function Programs({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const examples = useOperation('examples.list', { params, query: { page_size: 1 } });
  const input = examples.data?.items[0]?.input_payload ?? {};
  const address = findAddress();
  return (
    <div className="part stack">
      {!type.model_deployed && (
        <p className="note warn">Nothing is deployed yet: decisions and the bundle need a deployed policy.</p>
      )}
      <p className="muted">
        Programs sign in with a key of their own.{' '}
        <a href={formatRoute({ page: 'settings', section: 'keys' })}>Make a key</a>
      </p>
      <Snippet name="curl" text={toCurl(address, type.name, input)} />
      <Snippet name="Python" text={toPython(address, type.name, input)} />
      <Snippet name="TypeScript" text={toTypeScript(address, type.name, input)} />
      <Snippet name="Python, offline" text={toOfflinePython(type.name, input)} />
    </div>
  );
}
