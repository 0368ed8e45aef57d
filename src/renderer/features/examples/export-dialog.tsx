/** Examples as a file: which of them, in which format, and whether personal values go with them. */
import { Button, Checkbox, Modal, NativeSelect, Radio } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ExampleFormat } from '../../../engine/export/file-kinds.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { count, number } from '../../parts/text/figures.ts';
import { notify } from '../../state/notices.tsx';
import { useOperation } from '../../state/queries.ts';
import { useWorkbench } from '../../state/workbench.ts';
import type { ExampleFilter } from './queues.ts';

const formats: { group: string; items: { value: ExampleFormat; label: string }[] }[] = [
  {
    group: 'Comes back without loss',
    items: [
      { value: 'csv', label: 'CSV' },
      { value: 'xlsx', label: 'Excel' },
      { value: 'jsonl', label: 'JSON Lines' },
      { value: 'parquet', label: 'Parquet' },
    ],
  },
  {
    group: 'For a labelling tool',
    items: [
      { value: 'label_studio', label: 'Label Studio' },
      { value: 'argilla', label: 'Argilla' },
      { value: 'prodigy', label: 'Prodigy' },
      { value: 'spacy', label: 'spaCy (labelled examples only)' },
    ],
  },
];

const findFormat = (named: string): ExampleFormat | undefined =>
  formats.flatMap(({ items }) => items).find(({ value }) => value === named)?.value;

type DialogProps = {
  type: DecisionType;
  /** All examples of the type. */
  total: number;
  /** The filter under which examples are shown; null where all are. */
  filter: ExampleFilter | null;
  onClose(): void;
};

/** Asks for a format and exports. */
export function ExportDialog({ type, total, filter, onClose }: DialogProps) {
  const { client } = useWorkbench();
  const [format, setFormat] = useState<ExampleFormat>('csv');
  const [isFiltered, setIsFiltered] = useState(filter !== null);
  const [personal, setPersonal] = useState(false);
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({ isRunning: false, error: null });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const params = { decision_type_id: type.id };
  const shown = useOperation(
    'examples.list',
    { params, query: { ...filter, page: 1, page_size: 1 } },
    { enabled: filter !== null },
  );
  const matches = filter === null ? total : shown.data?.total;
  const rows = isFiltered ? matches : total;
  const run = async () => {
    const controller = new AbortController();
    running.current = controller;
    setState({ isRunning: true, error: null });
    try {
      const query = { ...(isFiltered ? filter : {}), format, personal };
      const { blob, fileName } = await client.download('examples.export', { params, query }, controller.signal);
      saveFile(blob, fileName ?? `${type.name}-examples`);
      notify({ kind: 'info', text: `${rows === undefined ? 'The' : number(rows)} examples are in ${fileName}.` });
      onClose();
    } catch (error) {
      if (!controller.signal.aborted) setState({ isRunning: false, error });
    }
  };
  return (
    <Modal opened title="Export examples" onClose={onClose}>
      <div className="stack">
        {state.error !== null && <ErrorNote error={state.error} />}
        <NativeSelect
          data-autofocus
          label="Format"
          data={formats}
          value={format}
          onChange={(event) => setFormat(findFormat(event.currentTarget.value) ?? format)}
        />
        {filter !== null && (
          <Radio.Group
            label="Which"
            value={isFiltered ? 'shown' : 'all'}
            onChange={(chosen) => setIsFiltered(chosen === 'shown')}
          >
            <div className="stack">
              <Radio
                value="shown"
                label={`Those that are shown${matches === undefined ? '' : ` (${number(matches)})`}`}
              />
              <Radio value="all" label={`All examples (${number(total)})`} />
            </div>
          </Radio.Group>
        )}
        {type.pii_fields.length > 0 && (
          <Checkbox
            label="With the values of personal fields"
            description="Without them, the same value has the same token."
            checked={personal}
            onChange={(event) => setPersonal(event.currentTarget.checked)}
          />
        )}
        <p className="muted">
          The file has the inputs with labels, notes and times, what a model said of each, and on which side of the
          split it is.
        </p>
        <div className="row between">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="filled" loading={state.isRunning} disabled={rows === 0} onClick={() => void run()}>
            {rows === undefined ? 'Export' : `Export ${count(rows, 'example')}`}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
