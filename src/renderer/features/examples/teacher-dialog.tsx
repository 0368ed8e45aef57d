/** Labels from a connected model: measured against labels that people gave, priced, and only then asked for. */
import { Button, Modal } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { invalidate, staleByTeacher } from '../../api/changes.ts';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { useChange, useOperation } from '../../state/queries.ts';
import { changeQuery, formatRoute } from '../../state/route.ts';
import { useWorkbench } from '../../state/workbench.ts';

const maxLabels = 200;
const pollMs = 500;

type TeacherLabelling = OutputOf<'teacher_labelling.get'>;
type DialogProps = {
  type: DecisionType;
  /** Examples without a label. */
  unlabelled: number;
  onClose(): void;
};

/** Asks a connected model for labels; without a connection, says where one is set up. */
export function TeacherDialog(props: DialogProps) {
  const connections = useOperation('connections.list', {});
  const connection = connections.data?.find(({ generates }) => generates);
  return (
    <Modal opened title="Label with a connected model" onClose={props.onClose}>
      {connections.isPending && <Busy>Loading connections…</Busy>}
      {connections.isError && <ErrorNote error={connections.error} retry={() => void connections.refetch()} />}
      {connections.data && !connection && (
        <p>
          No model is connected. Set one up under{' '}
          <a data-autofocus href={formatRoute({ page: 'settings', section: 'connections' })}>
            Settings, Model connections
          </a>
          : a chat model on this machine or elsewhere.
        </p>
      )}
      {connection && <Labelling {...props} connection={connection.name} />}
    </Modal>
  );
}

const isUnderWay = ({ state }: TeacherLabelling) => state === 'measuring' || state === 'labelling';

/** Reads how far the labelling is, again and again while it goes on; at its end what it changed is read again. */
function useLabelling(type: DecisionType) {
  const { queries } = useWorkbench();
  const params = { decision_type_id: type.id };
  const { data, error, refetch } = useOperation('teacher_labelling.get', { params });
  const isRunning = data !== undefined && isUnderWay(data);
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void invalidate(queries, { names: staleByTeacher, typeId: type.id });
    wasRunning.current = isRunning;
    const timer = isRunning ? setInterval(() => void refetch(), pollMs) : undefined;
    return () => clearInterval(timer);
  }, [isRunning, refetch, queries, type.id]);
  return { job: data, error, isRunning };
}

function Labelling({ type, unlabelled, connection, onClose }: DialogProps & { connection: string }) {
  const { job, error, isRunning } = useLabelling(type);
  const start = useChange('teacher_labelling.start');
  const cancel = useChange('teacher_labelling.cancel');
  const params = { decision_type_id: type.id };
  const wanted = Math.min(maxLabels, unlabelled);
  const begin = (max_examples: number) => start.mutate({ params, body: { max_examples } });
  if (!job) return error ? <ErrorNote error={error} /> : <Busy>Loading…</Busy>;
  const failure = start.error ?? cancel.error;
  // Measured, and nothing labelled yet.
  const isMeasured = job.state === 'done' && job.total === 0 && job.agreement !== null && job.connection === connection;
  return (
    <div className="stack">
      {failure && <ErrorNote error={failure} />}
      {!isRunning && job.state !== 'idle' && <Ended job={job} />}
      {isRunning ? (
        <Running job={job} isCancelling={cancel.isPending} onCancel={() => cancel.mutate({ params })} />
      ) : unlabelled === 0 ? (
        <p>Every example has a label.</p>
      ) : isMeasured ? (
        <Offer job={job} wanted={wanted}>
          <Button data-autofocus variant="filled" loading={start.isPending} onClick={() => begin(wanted)}>
            Label {number(wanted)}
          </Button>
        </Offer>
      ) : (
        <>
          <p>
            First {isolate(connection)} is asked about up to 100 examples that you labelled, and its labels are compared
            with yours. It is sent examples of this decision type, in which PII fields are redacted; what that takes is
            charged. Nothing is labelled yet.
          </p>
          <div>
            <Button data-autofocus variant="filled" loading={start.isPending} onClick={() => begin(0)}>
              Measure it first
            </Button>
          </div>
        </>
      )}
      {job.labelled > 0 && !isRunning && (
        <div>
          <Button
            onClick={() => {
              changeQuery({ queue: 'synthetic', view: 'table', row: '' });
              onClose();
            }}
          >
            Review its labels
          </Button>
        </div>
      )}
    </div>
  );
}

/** Says what a labelling would take, by what the measuring took. */
function Offer({ job, wanted, children }: { job: TeacherLabelling; wanted: number; children: ReactNode }) {
  const estimate = (taken: number) => number(Math.ceil((taken / Math.max(1, job.measured)) * wanted));
  return (
    <>
      <p>
        Measuring took {count(job.tokens, 'token')} and {count(job.credits, 'credit')}. {count(wanted, 'example')} more
        would take about {estimate(job.tokens)} tokens and {estimate(job.credits)} credits. Its labels wait for a review
        and are marked as a teacher’s; no figure is measured on them.
      </p>
      <div>{children}</div>
    </>
  );
}

function Ended({ job }: { job: TeacherLabelling }) {
  const tone = job.state === 'done' ? 'good' : 'warn';
  return (
    <p className={`note ${tone} wrap`} role="status">
      {job.message}
    </p>
  );
}

type RunningProps = { job: TeacherLabelling; isCancelling: boolean; onCancel(): void };

function Running({ job, isCancelling, onCancel }: RunningProps) {
  return (
    <>
      <p role="status" className="wrap">
        {job.message}
      </p>
      <progress
        max={Math.max(1, job.total)}
        value={job.state === 'measuring' ? undefined : job.done}
        aria-label="Labelling with a connected model"
      />
      <p className="muted">
        {job.state === 'labelling' && `${number(job.done)} of ${count(job.total, 'example')}, `}
        {count(job.credits, 'credit')} so far. You may close this window: it goes on.
      </p>
      <div>
        <Button data-autofocus loading={isCancelling} onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  );
}
