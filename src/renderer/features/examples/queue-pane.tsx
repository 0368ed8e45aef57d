import { Button, Menu } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { leavesFocus } from '../../commands/key-focus.ts';
import { useFirstPart } from '../../parts/hooks/use-first-part.ts';
import { useNewest } from '../../parts/hooks/use-newest.ts';
import { Part } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { Pane } from '../../parts/panes.tsx';
import { number } from '../../parts/text/figures.ts';
import { countQueue, queues, toOptionQueue } from './rows/queues.ts';

type Stats = OutputOf<'examples.stats'>;

type QueuePaneProps = {
  type: DecisionType;
  stats: Stats;
  queue: string;
  onQueue(name: string): void;
};

/** The queues with their counts, and how the labels are spread over the options. */
export function QueuePane({ type, stats, queue, onQueue }: QueuePaneProps) {
  const { options } = type.active_version;
  const colourOf = useOptionColours(type.id);
  const choose = useNewest(onQueue);
  const shown = useFirstPart(options);
  const largest = Math.max(1, ...options.map((option) => stats.by_option[option] ?? 0));
  return (
    <Pane title="Queues" sub>
      <ul className="queues">
        {queues.map(({ name, title, help }) => (
          <li key={name}>
            <button type="button" title={help} aria-current={name === queue} onClick={() => onQueue(name)}>
              <span className={countQueue(name, stats) === 0 ? 'clip muted' : 'clip'}>{title}</span>
              <span className="muted number">{countText(countQueue(name, stats))}</span>
            </button>
          </li>
        ))}
      </ul>
      <Part title="Options">
        <ul className="queues options-list" style={{ '--largest': largest, '--count': `${number(largest).length}ch` }}>
          {shown.map((option) => (
            <OptionQueue
              key={option}
              typeId={type.id}
              option={option}
              count={stats.by_option[option] ?? 0}
              colour={colourOf(option)}
              isOpen={toOptionQueue(option) === queue}
              onQueue={choose}
            />
          ))}
        </ul>
      </Part>
    </Pane>
  );
}

function countText(count: number | null): string {
  return count === null ? '' : number(count);
}

/** The same as a menu, where a pane would take the room of what is judged. */
export function QueueMenu({ type, stats, queue, onQueue }: QueuePaneProps) {
  const options = type.active_version.options.map((option) => ({
    name: toOptionQueue(option),
    title: <OptionName typeId={type.id} option={option} />,
    count: stats.by_option[option] ?? 0,
  }));
  const toItem = (name: string, title: ReactNode, count: number | null) => (
    <Menu.Item
      key={name}
      aria-current={name === queue}
      rightSection={<span className="muted number">{countText(count)}</span>}
      onClick={() => onQueue(name)}
    >
      {title}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button rightSection={<ChevronDown size={14} />} {...leavesFocus}>
          Queues
        </Button>
      </Menu.Target>
      <Menu.Dropdown className="queue-menu">
        {queues.map(({ name, title }) => toItem(name, title, countQueue(name, stats)))}
        <Menu.Label>Options</Menu.Label>
        {options.map(({ name, title, count }) => toItem(name, title, count))}
      </Menu.Dropdown>
    </Menu>
  );
}

type OptionQueueProps = {
  typeId: string;
  option: string;
  count: number;
  colour: string;
  isOpen: boolean;
  onQueue(name: string): void;
};

/** The queue of one option, drawn again only where its own count moves: a label changes two of up to 500. */
const OptionQueue = memo(function OptionQueue({ typeId, option, count, colour, isOpen, onQueue }: OptionQueueProps) {
  return (
    <li>
      <button
        type="button"
        title="Examples with this label."
        aria-current={isOpen}
        onClick={() => onQueue(toOptionQueue(option))}
      >
        <OptionName typeId={typeId} option={option} />
        <span className="muted number">{number(count)}</span>
        <span className="meter" aria-hidden="true">
          <span style={{ width: `calc(100% * ${count} / var(--largest))`, background: colour }} />
        </span>
      </button>
    </li>
  );
});
