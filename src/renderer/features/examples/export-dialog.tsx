/** Examples as a file: which of them, in which format, and whether personal values go with them. */
import { Checkbox, NativeSelect, Radio } from '@mantine/core';
import { useState } from 'react';
import { type ExampleFormat, labellingPage } from '../../../engine/export/file-kinds.ts';
import { maxLabelledByPage } from '../../../engine/report/labelling-page.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { FormDialog } from '../../parts/form.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { useDownload } from '../../parts/save-file.ts';
import { count, number } from '../../parts/text/figures.ts';
import { notify } from '../../state/notices.tsx';
import { useOperation } from '../../state/queries.ts';
import type { ExampleFilter } from './rows/queues.ts';

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
  {
    group: 'For somebody elsewhere',
    items: [{ value: labellingPage, label: `Page for labelling (up to ${number(maxLabelledByPage)} examples)` }],
  },
];

const findFormat = (named: string): ExampleFormat | undefined =>
  formats.flatMap(({ items }) => items).find(({ value }) => value === named)?.value;

const choices = ['all', 'shown', 'trained'] as const;
type Which = (typeof choices)[number];
const whichOf = (value: string): Which => choices.find((choice) => choice === value) ?? 'all';
const isMade = (status: string) => status === 'trained' || status === 'deployed';

type DialogProps = {
  type: DecisionType;
  total: number;
  /** The filter under which examples are shown; null where all are. */
  filter: ExampleFilter | null;
  onClose(): void;
};

/** Asks for a format and exports. */
export function ExportDialog({ type, total, filter, onClose }: DialogProps) {
  const [format, setFormat] = useState<ExampleFormat>('csv');
  const [which, setWhich] = useState<Which>(filter === null ? 'all' : 'shown');
  const [personal, setPersonal] = useState(false);
  const params = { decision_type_id: type.id };
  const shown = useOperation(
    'examples.list',
    { params, query: { ...filter, page: 1, page_size: 1 } },
    { enabled: filter !== null },
  );
  const matches = filter === null ? total : shown.data?.total;
  const trained = useTrained(type, which === 'trained');
  const rows = { all: total, shown: matches, trained: trained.given.data?.left }[which];
  const selection = { all: {}, shown: filter, trained: { policy_id: trained.policyId } }[which];
  const query = { ...selection, format, personal };
  const { isPending, error, run, stop } = useDownload(`${type.name}-examples`, (client, signal) =>
    client.download('examples.export', { params, query }, signal),
  );
  const close = () => {
    stop();
    onClose();
  };
  const save = () =>
    run(({ name }) => {
      const text = `${rows === undefined ? 'The examples are' : count(rows, 'example is', 'examples are')} in ${name}.`;
      notify({ kind: 'info', text });
      onClose();
    });
  return (
    <FormDialog
      title="Export examples"
      act={rows === undefined ? 'Export' : `Export ${count(rows, 'example')}`}
      disabled={rows === 0}
      isPending={isPending}
      error={error}
      onSubmit={save}
      onClose={close}
    >
      <NativeSelect
        data-autofocus
        label="Format"
        data={formats}
        value={format}
        onChange={(event) => setFormat(findFormat(event.currentTarget.value) ?? format)}
      />
      {(filter !== null || trained.policies.length > 0) && (
        <WhichField
          which={which}
          choose={setWhich}
          total={total}
          matches={filter === null ? null : matches}
          isTrained={trained.policies.length > 0}
        />
      )}
      {which === 'trained' && <TrainedChoice {...trained} />}
      {type.pii_fields.length > 0 && format !== labellingPage && (
        <Checkbox
          label="With the values of personal fields"
          description="Without them, the same value has the same token."
          checked={personal}
          onChange={(event) => setPersonal(event.currentTarget.checked)}
        />
      )}
      <p className="muted">
        {format === labellingPage
          ? 'One HTML file to send: guideline and inputs, without labels, suggestions and personal fields. It opens on a phone or PC, connects to nothing and saves a file of labels, which Import merges: new labels, or second readings beside those here.'
          : 'The file has the inputs with labels, notes and times, what a model said of each, who gave each label, second readings, and on which side of the split it is.'}
      </p>
    </FormDialog>
  );
}

type WhichProps = {
  which: Which;
  choose(which: Which): void;
  total: number;
  /** How many examples are shown, undefined while that is not known; null without a filter. */
  matches: number | null | undefined;
  isTrained: boolean;
};

function WhichField({ which, choose, total, matches, isTrained }: WhichProps) {
  const shown = matches === undefined ? '' : ` (${number(matches ?? total)})`;
  return (
    <Radio.Group label="Which" value={which} onChange={(value) => choose(whichOf(value))}>
      <div className="stack">
        {matches !== null && <Radio value="shown" label={`Those that are shown${shown}`} />}
        <Radio value="all" label={`All examples (${number(total)})`} />
        {isTrained && <Radio value="trained" label="What a policy was trained and tested on" />}
      </div>
    </Radio.Group>
  );
}

/** The policies that a training made, the one that is chosen (at first what decides), and what it was trained from. */
function useTrained(type: DecisionType, isWanted: boolean) {
  const [chosenId, choose] = useState<string | null>(null);
  const params = { decision_type_id: type.id };
  const all = useOperation('policies.list', { params }).data ?? [];
  const policies = all.filter(({ train_size, status }) => train_size !== null && isMade(status));
  const policyId = chosenId ?? (policies.find(({ deployed }) => deployed) ?? policies[0])?.id ?? '';
  const query = { policy_id: policyId };
  const given = useOperation('examples.trained', { params, query }, { enabled: isWanted && policyId !== '' });
  return { policies, policyId, given, choose };
}

function TrainedChoice({ policies, policyId, given, choose }: ReturnType<typeof useTrained>) {
  return (
    <>
      <NativeSelect
        label="Policy"
        data={policies.map(({ id, version, deployed }) => ({
          value: id,
          label: `v${version}${deployed ? ' (decides)' : ''}`,
        }))}
        value={policyId}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {given.error !== null && <ErrorNote error={given.error} />}
      {given.data && (
        <p className="muted">
          {given.data.sentence} Their digest, as the model card says it:{' '}
          <span className="mono wrap">{given.data.snapshot_sha256}</span>
        </p>
      )}
    </>
  );
}
