import { ActionIcon, Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { X } from 'lucide-react';
import { Component, Fragment, type ReactNode, Suspense, useId } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { useCommands } from '../state/use-commands.ts';
import { Busy } from './notes.tsx';

/** Keeps a fault in one pane from taking the others with it. */
export class PaneBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };
  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }
  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="note error stack tight" role="alert">
        <strong>This part of the page has failed; the rest still works.</strong>
        <span>{error.message}</span>
        <Button size="compact-xs" onClick={() => this.setState({ error: null })}>
          Show it again
        </Button>
      </div>
    );
  }
}

type PaneProps = {
  title: string;
  head?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
  sub?: boolean;
  /** The body does not scroll: something inside does. */
  still?: boolean;
  /** Read or set, not worked in row by row: its parts are cards. */
  cards?: boolean;
  level?: 1 | 2;
};

/** One pane: a heading with tools, and a body that scrolls by itself and fails by itself. */
export function Pane({ title, head, tools, children, sub, still, cards, level = 2 }: PaneProps) {
  const id = useId();
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <section className={sub ? 'pane sub' : 'pane'} aria-labelledby={id}>
      <header>
        <Heading id={id}>{title}</Heading>
        {head}
        {tools && <div className="tools">{tools}</div>}
      </header>
      <div className={`body${still ? ' still' : ''}${cards ? ' cards' : ''}`} {...(still ? {} : { tabIndex: 0 })}>
        <PaneBoundary>
          <Suspense fallback={<Busy>Loading…</Busy>}>{children}</Suspense>
        </PaneBoundary>
      </div>
    </section>
  );
}

/** Whether the window is too narrow for a third pane: then the inspector lies over the others. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 1199px)', false, { getInitialValueInEffect: false });
}

/** Whether the window is so wide that what stands beside the main pane has columns of its own, and type is larger. */
export function useWide(): boolean {
  return useMediaQuery('(min-width: 1920px)', false, { getInitialValueInEffect: false });
}

/** The pixels of a rem, for what is drawn or measured in pixels; `base.css` has the same. */
export const useRemPx = () => (useWide() ? 18 : 16);

type PlaceProps = Omit<PaneProps, 'sub' | 'level'> & {
  /** Under it the sizes of the panes are remembered. */
  id: string;
  side?: ReactNode;
  /** Cannot be closed, so it never lies over the main pane. */
  beside?: ReactNode;
  /** Its width beside a main pane that is not narrow, in percent of the place. */
  besideShare?: number;
  /** Lies over the main pane in a narrow window. */
  inspector?: ReactNode;
  /** The inspector's width, in percent of the place. */
  inspectorShare?: number;
};
/** The main pane has no size of its own: it takes what the others leave. */
type Column = { id: string; content: ReactNode; size?: string; min: string };

/** A place: a pane at the left, the main pane, and at the right a fixed one or the inspector. */
export function Place({ id, side, beside, besideShare = 28, inspector, inspectorShare = 28, ...main }: PlaceProps) {
  const narrow = useNarrow();
  const content = <Pane level={1} {...main} />;
  const columns: Column[] = [];
  if (side) columns.push({ id: 'side', content: side, size: '13rem', min: '13rem' });
  columns.push({ id: 'main', content, min: '280px' });
  if (beside)
    columns.push({ id: 'inspector', content: beside, size: narrow ? '34%' : `${besideShare}%`, min: '21rem' });
  if (inspector && !narrow)
    columns.push({ id: 'inspector', content: inspector, size: `${inspectorShare}%`, min: '260px' });
  const panelIds = columns.map((column) => column.id);
  const layout = useDefaultLayout({ id: `panes.${id}`, panelIds, storage: window.localStorage });
  return (
    <>
      <Group className="panes" id={id} {...layout}>
        {columns.map((column, index) => (
          <Fragment key={column.id}>
            {index > 0 && <Separator className="separator" aria-label={`Width of ${column.id}`} />}
            <Panel id={column.id} {...(column.size && { defaultSize: column.size })} minSize={column.min}>
              {column.content}
            </Panel>
          </Fragment>
        ))}
      </Group>
      {inspector && narrow && <div className="over">{inspector}</div>}
    </>
  );
}

type InspectorProps = {
  title: string;
  onClose?: () => void;
  tools?: ReactNode;
  children: ReactNode;
};

/** Shows what is chosen in the list beside it; Escape closes it. */
export function Inspector({ title, onClose, tools, children }: InspectorProps) {
  useCommands('Go', [
    {
      id: 'close-inspector',
      title: 'Close the inspector',
      keys: 'Escape',
      enabled: onClose !== undefined,
      run: () => onClose?.(),
    },
  ]);
  return (
    <Pane
      title={title}
      tools={
        <>
          {tools}
          {onClose && (
            <ActionIcon aria-label="Close the inspector" onClick={onClose}>
              <X size={14} />
            </ActionIcon>
          )}
        </>
      }
    >
      {children}
    </Pane>
  );
}
