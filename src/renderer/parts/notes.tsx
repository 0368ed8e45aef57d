import { Button, Loader } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError, describeDetail } from '../../server/contract/client.ts';
import { moment, relative } from './text/figures.ts';
import { showUnseen } from './text/names.ts';

/** A waiting sign with words; shown wherever an answer may take longer than half a second. */
export function Busy({ children }: { children: ReactNode }) {
  return (
    <p className="busy" role="status">
      <Loader aria-hidden="true" /> {children}
    </p>
  );
}

const remedies: Record<string, string> = {
  unreachable: 'The page tries again as soon as the workbench is running.',
  unauthorized: 'Open the workbench again to get a new session.',
  model_not_deployed: 'Train this decision type or deploy one of its policies first.',
  payload_too_large: 'Split the data into smaller parts.',
  unavailable: 'Wait a moment and try again.',
  internal_error: 'Try again; if it happens again, the server log names the request.',
};

const maxDetails = 12;

/** A failure with its place and what can be done about it. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const api = error instanceof ApiError ? error : null;
  const remedy = api ? remedies[api.code] : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div className="note error stack tight" role="alert">
      <strong>{showUnseen(message)}</strong>
      {api && api.details.length > 0 && (
        <ul>
          {api.details.slice(0, maxDetails).map((detail, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the details of one refusal never change their order
            <li key={index}>{showUnseen(describeDetail(detail))}</li>
          ))}
          {api.details.length > maxDetails && <li>and {api.details.length - maxDetails} more</li>}
        </ul>
      )}
      {remedy && <p>{remedy}</p>}
      {retry && (
        <Button size="compact-xs" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

type EmptyStateProps = {
  title: string;
  facts?: ReactNode;
  children: ReactNode;
  actions?: ReactNode;
};

/** Fills a place before there is anything: what belongs here and how to get it. */
export function EmptyState({ title, facts, children, actions }: EmptyStateProps) {
  return (
    <section className="empty">
      <h2>{title}</h2>
      {facts}
      <p>{children}</p>
      {actions && <div className="row">{actions}</div>}
    </section>
  );
}

type PartProps = { title: string; tools?: ReactNode; isWide?: boolean; children: ReactNode };

/** A part of a pane, with its heading and buttons. */
export function Part({ title, tools, isWide = false, children }: PartProps) {
  return (
    <section className={isWide ? 'part whole-width' : 'part'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {tools}
      </header>
      {children}
    </section>
  );
}

type FactsProps = { items: readonly { name: string; value: ReactNode; detail?: string | undefined; help: string }[] };

/** A row of figures with their names; each explains itself on hover and on keyboard focus. */
export function Facts({ items }: FactsProps) {
  return (
    <dl className="facts">
      {items.map(({ name, value, detail, help }) => (
        <div key={name} title={help}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches what the pointer can hover over */}
          <dt title={help} tabIndex={0}>
            {name}
          </dt>
          <dd>
            {value} {detail && <small>{detail}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const tickMs = 30_000;

/** A moment seen from now, with the exact one on hover. */
export function Moment({ iso }: { iso: string }) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={iso} title={moment(iso)}>
      {relative(iso, nowMs)}
    </time>
  );
}

/** A shortcut as keys: 'Mod+K' → Ctrl+K. */
export function Keys({ keys }: { keys: string }) {
  return <kbd>{keys.replaceAll('Mod', 'Ctrl').replaceAll('Escape', 'Esc').replaceAll(' ', ' then ')}</kbd>;
}
