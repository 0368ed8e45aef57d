import { type ReactNode, useId } from 'react';
import { ApiError, describeDetail } from '../api/client.ts';

/** A waiting sign with words; shown wherever an answer may take longer than half a second. */
export function Busy({ children }: { children: ReactNode }) {
  return (
    <p className="busy" role="status">
      {children}
    </p>
  );
}

const remedies: Record<string, string> = {
  unreachable: 'Start the workbench again, then retry.',
  conflict: 'Reload to see the current state, then try again.',
  unauthorized: 'Open the workbench again to get a new session.',
  model_not_deployed: 'Train this decision type or deploy one of its policies first.',
  payload_too_large: 'Split the data into smaller parts.',
  unavailable: 'Wait a moment and try again.',
  internal_error: 'Try again; if it happens again, the server log names the request.',
};

/** A failure with its place and what can be done about it. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const api = error instanceof ApiError ? error : null;
  const remedy = api ? remedies[api.code] : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div className="note error" role="alert">
      <strong>{message}</strong>
      {api && api.details.length > 0 && (
        <ul>
          {api.details.slice(0, 12).map((detail, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the details of one refusal never change their order
            <li key={index}>{describeDetail(detail)}</li>
          ))}
          {api.details.length > 12 && <li>and {api.details.length - 12} more</li>}
        </ul>
      )}
      {remedy && <p>{remedy}</p>}
      {retry && (
        <button type="button" className="small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What a page shows before there is anything: what belongs here and how to get it. */
export function EmptyState({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <section className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {actions && <div className="row">{actions}</div>}
    </section>
  );
}

export function Card({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  const id = useId();
  return (
    <section className="card stack" aria-labelledby={id}>
      <div className="row between">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** A row of figures with their names. */
export function Facts({ items }: { items: readonly { name: string; value: ReactNode; detail?: string }[] }) {
  return (
    <dl className="facts">
      {items.map(({ name, value, detail }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {detail && <small>{detail}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Named shares between 0 and 1 as bars with their figures. */
export function Bars({ items }: { items: readonly { name: string; value: number; text?: string }[] }) {
  return (
    <div className="bars">
      {items.map(({ name, value, text }) => (
        <BarRow key={name} name={name} value={value} text={text ?? percent(value)} />
      ))}
    </div>
  );
}

function BarRow({ name, value, text }: { name: string; value: number; text: string }) {
  return (
    <>
      <span className="name">{name}</span>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, Math.max(0, value * 100))}%` }} />
      </span>
      <span className="number">{text}</span>
    </>
  );
}

/** 0.9312 → "93.1 %". */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** A moment as the reader's own place writes it. */
export function moment(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
