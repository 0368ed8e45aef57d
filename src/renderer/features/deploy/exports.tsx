/** The parts of Deploy that give a file away: the bundle, and the whole decision type. */
import { Button, Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { decimal } from '../../parts/text/figures.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useWorkbench } from '../../state/workbench.ts';

type ServedFile = { blob: Blob; fileName: string | null };

/** Saves a file that the server packs, unless it is stopped before. */
function useDownload({ name }: DecisionType, pack: (signal: AbortSignal) => Promise<ServedFile>) {
  const running = useRef<AbortController>(undefined);
  const { isPending, error, data, mutate, reset } = useMutation({
    mutationFn: async () => {
      running.current = new AbortController();
      const { blob, fileName } = await pack(running.current.signal);
      const saved = { name: fileName ?? `${name}.zip`, bytes: blob.size };
      saveFile(blob, saved.name);
      return saved;
    },
  });
  const stop = () => {
    running.current?.abort();
    reset();
  };
  return { isPending, error, saved: data, run: () => mutate(), stop };
}

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
        <Button variant={isFirst ? 'filled' : 'default'} loading={isPending} onClick={run}>
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
  const { client } = useWorkbench();
  const params = { decision_type_id: type.id };
  const download = useDownload(type, (signal) => client.download('decision_types.archive', { params }, signal));
  const { isPending, run } = download;
  useCommands('Files', [{ id: 'export-type', title: 'Export this decision type', enabled: !isPending, run }]);
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

/** Saves the bundle, with or without the text model, or the page that decides by itself. */
export function BundleExport({ type }: { type: DecisionType }) {
  const { client } = useWorkbench();
  const [slim, setSlim] = useState(false);
  const params = { decision_type_id: type.id };
  const download = useDownload(type, (signal) => client.download('bundle.export', { params, query: { slim } }, signal));
  const page = useDownload(type, (signal) => client.download('bundle.export_page', { params, query: {} }, signal));
  const { isPending, run } = download;
  useCommands('Files', [{ id: 'export-bundle', title: 'Export bundle', enabled: !isPending, run }]);
  return (
    <Part title="Use it offline">
      <div className="stack">
        <p className="muted">
          Both decide without this program and test themselves. The page opens in any browser, for tables and words.
        </p>
        <Checkbox
          label="Leave the text model out"
          description="A slim bundle is small, but the text model must already be where it is opened."
          checked={slim}
          onChange={(event) => setSlim(event.currentTarget.checked)}
        />
        <Download download={download} name="Export bundle" busy="Packing the bundle…" isFirst={type.draft === null} />
        <Download download={page} name="Save as a page" busy="Packing the page…" />
      </div>
    </Part>
  );
}
