/** The parts of Deploy that give a file away: the bundle, and the whole decision type. */
import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { PolicySummary } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { useDownload } from '../../parts/save-file.ts';
import { decimal, number, percent } from '../../parts/text/figures.ts';
import { useChange, usePolicy } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';

type DownloadProps = {
  download: ReturnType<typeof useDownload>;
  name: string;
  /** Shown while it is packed. */
  busy: string;
  isFirst?: boolean;
};

function Download({ download: { isPending, error, saved, run, stop }, name, busy, isFirst = false }: DownloadProps) {
  return (
    <>
      <div className="row">
        <Button variant={isFirst ? 'filled' : 'default'} loading={isPending} onClick={() => run()}>
          {name}
        </Button>
        {isPending && (
          <>
            <Busy>{busy}</Busy>
            <Button variant="subtle" onClick={stop}>
              Stop
            </Button>
          </>
        )}
        {saved && (
          <span role="status" className="wrap">
            {saved.name}, {decimal(saved.bytes / 1_000_000, 1)} MB, is in your downloads.
          </span>
        )}
      </div>
      {error && <ErrorNote error={error} />}
    </>
  );
}

/** Saves the whole type as a file for another workbench. */
export function ArchiveExport({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const download = useDownload(`${type.name}.zip`, (client, signal) =>
    client.download('decision_types.archive', { params }, signal),
  );
  const { isPending, run } = download;
  useCommands('Files', [
    { id: 'export-type', title: 'Export this decision type', enabled: !isPending, run: () => run() },
  ]);
  return (
    <Part title="Move it">
      <div className="stack">
        <p className="muted">
          One file with rules, examples, policies and releases, for “New from a file…” of another workbench. Values of
          personal fields are in it; log, keys, earlier labels and an unpublished draft are not.
        </p>
        <Download download={download} name="Export the decision type" busy="Packing examples, policies and releases…" />
      </div>
    </Part>
  );
}

type PageProps = { type: DecisionType; policies: readonly PolicySummary[] };

/** Saves the page of what decides; where a text model reads its texts, offers a policy of words alone beside it. */
function PageExport({ type, policies }: PageProps) {
  const start = useChange('training.start');
  const params = { decision_type_id: type.id };
  const deployed = policies.find((policy) => policy.deployed);
  const later = policies.find(({ status, version }) => status === 'trained' && version > (deployed?.version ?? 0));
  const now = usePolicy(type.id, deployed?.id).data;
  const next = usePolicy(type.id, later?.id).data;
  const small = next?.training_config.text_model === 'words' ? next : null;
  const trials = now?.metrics?.text_models ?? [];
  const [chosen, words] = [trials.find((trial) => trial.chosen), trials.find((trial) => trial.size_mb === 0)];
  const isLarge = chosen !== undefined && words !== undefined && chosen.size_mb > 0;
  const query = isLarge && small !== null ? { policy_id: small.id } : {};
  const page = useDownload(`${type.name}.html`, (client, signal) =>
    client.download('bundle.export_page', { params, query }, signal),
  );
  if (!isLarge || now === undefined) return <Download download={page} name="Save as a page" busy="Packing the page…" />;
  return (
    <>
      <p className="muted">
        Texts are read by the text model {chosen.text_model}, which no page can hold. By words alone{' '}
        {percent(words.accuracy)} of {number(words.rows)} training examples were right unseen, by {chosen.text_model}{' '}
        {percent(chosen.accuracy)}.
      </p>
      {small !== null ? (
        <Download
          download={page}
          name={`Save v${small.version}, of words alone, as a page`}
          busy={'Packing the page…'}
        />
      ) : (
        <div className="row">
          <Button
            loading={start.isPending}
            onClick={() =>
              start.mutate({ params, body: { ...now.training_config, text_model: 'words', auto_deploy: false } })
            }
          >
            Train with words alone, without deploying it
          </Button>
        </div>
      )}
      {start.error && <ErrorNote error={start.error} />}
    </>
  );
}

/** Saves the bundle, with or without the text model, or the page that decides by itself. */
export function BundleExport({ type, policies }: PageProps) {
  const [slim, setSlim] = useState(false);
  const params = { decision_type_id: type.id };
  const download = useDownload(`${type.name}.zip`, (client, signal) =>
    client.download('bundle.export', { params, query: { slim } }, signal),
  );
  const { isPending, run } = download;
  useCommands('Files', [{ id: 'export-bundle', title: 'Export bundle', enabled: !isPending, run: () => run() }]);
  return (
    <Part title="Use it offline">
      <div className="stack">
        <Download download={download} name="Export bundle" busy="Packing the bundle…" isFirst={type.draft === null} />
        <Checkbox
          label="Leave the text model out"
          description="A slim bundle is small, but the text model must already be where it is opened."
          checked={slim}
          onChange={(event) => setSlim(event.currentTarget.checked)}
        />
        <PageExport type={type} policies={policies} />
        <p className="muted">
          Both decide without this program and test themselves. The page opens in any browser, for tables and words.
        </p>
      </div>
    </Part>
  );
}
