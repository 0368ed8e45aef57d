import { useMutation } from '@tanstack/react-query';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { Busy, Card, ErrorNote } from '../parts/layout.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useWorkbench } from '../workbench.tsx';
import { ApiKeysCard } from './api-keys-card.tsx';
import { ConnectionsCard } from './connections-card.tsx';

function curlSnippet(address: string, name: string, input: unknown): string {
  const body = JSON.stringify({ decision_type: name, input }).replaceAll("'", "'\\''");
  return [
    `curl -s ${address}/api/v1/decide \\`,
    '  -H "Authorization: Bearer $WORKBENCH_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join('\n');
}

function pythonSnippet(address: string, name: string, input: unknown): string {
  return [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    "${address}/api/v1/decide",`,
    `    data=json.dumps({"decision_type": ${JSON.stringify(name)}, "input": json.loads(${JSON.stringify(JSON.stringify(input))})}).encode(),`,
    '    headers={"Authorization": f"Bearer {os.environ[\'WORKBENCH_API_KEY\']}", "Content-Type": "application/json"},',
    ')',
    'print(json.load(urllib.request.urlopen(request)))',
  ].join('\n');
}

function edgeSnippet(name: string, input: unknown): string {
  return [
    'import json',
    'from decision_edge import EdgePredictor',
    '',
    `predictor = EdgePredictor.from_bundle(${JSON.stringify(`${name}.zip`)})`,
    `result = predictor.predict(json.loads(${JSON.stringify(JSON.stringify(input))}))`,
    'print(result.decision, result.confidence)',
  ].join('\n');
}

/** How programs use the decision type: over REST with a key, or offline with the bundle. */
export function UseTab({ type }: { type: DecisionType }) {
  const { client, ui } = useWorkbench();
  const params = { decision_type_id: type.id };
  const examples = useOperation('examples.list', { params, query: { page_size: 1 } });
  const input = examples.data?.items[0]?.input_payload ?? {};
  const address = window.location.protocol.startsWith('http') ? window.location.origin : 'http://127.0.0.1:8737';
  const exportBundle = useMutation({
    mutationFn: () => client.download('bundle.export', { params, query: {} }),
    onSuccess: ({ blob, fileName }) => {
      saveFile(blob, fileName ?? `${type.name}.zip`);
      ui.getState().notify('info', 'The bundle is in your downloads.');
    },
  });
  const run = () => exportBundle.mutate();
  useCommands([
    {
      id: 'export-bundle',
      title: 'Export bundle',
      group: 'Files',
      enabled: type.model_deployed && !exportBundle.isPending,
      run,
    },
  ]);
  return (
    <div className="stack">
      {!type.model_deployed && (
        <p className="note warn">Nothing is deployed yet: decisions and the bundle need a deployed policy.</p>
      )}
      {type.availability?.state === 'unavailable' && (
        <p className="note error">
          The deployed policy cannot be used now: only its rules decide. {type.availability.reason}
        </p>
      )}
      <div className="two">
        <div className="stack">
          <Card title="Ask over REST">
            <Snippet name="curl" text={curlSnippet(address, type.name, input)} />
            <Snippet name="Python" text={pythonSnippet(address, type.name, input)} />
          </Card>
        </div>
        <div className="stack">
          <Card title="Use it offline">
            <p className="muted">
              The bundle holds the classifier, the rules and the text model. It decides without this program and without
              a network.
            </p>
            <div className="row">
              <button
                type="button"
                className="primary"
                disabled={!type.model_deployed || exportBundle.isPending}
                onClick={run}
              >
                Export bundle
              </button>
              {exportBundle.isPending && <Busy>Packing the bundle…</Busy>}
            </div>
            {exportBundle.isError && <ErrorNote error={exportBundle.error} />}
            <Snippet name="Python, offline" text={edgeSnippet(type.name, input)} />
          </Card>
          <ApiKeysCard />
          <ConnectionsCard />
        </div>
      </div>
    </div>
  );
}

function Snippet({ name, text }: { name: string; text: string }) {
  const { ui } = useWorkbench();
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    ui.getState().notify('info', `The snippet “${name}” was copied.`);
  };
  return (
    <div className="stack tight">
      <div className="row between">
        <h3>{name}</h3>
        <button type="button" className="small" aria-label={`Copy ${name}`} onClick={() => void copy()}>
          Copy
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
