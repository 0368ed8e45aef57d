import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { Part } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { Pane } from '../../parts/panes.tsx';
import { countQueue, queues, toOptionQueue } from './queues.ts';

type Stats = OutputOf<'examples.stats'>;

/** The queues with their counts, and how the labels are spread over the options. */
export function QueuePane({
  type,
  stats,
  queue,
  onQueue,
}: {
  type: DecisionType;
  stats: Stats;
  queue: string;
  onQueue(name: string): void;
}) {
  const { options } = type.active_version;
  const colourOf = useOptionColours(type.id, options);
  const largest = Math.max(1, ...options.map((option) => stats.by_option[option] ?? 0));
  return (
    <Pane title="Queues" sub>
      <ul className="queues">
        {queues.map(({ name, title, help }) => (
          <li key={name}>
            <button type="button" title={help} aria-current={name === queue} onClick={() => onQueue(name)}>
              <span className="clip">{title}</span>
              <span className="muted number">{countQueue(name, stats)?.toLocaleString()}</span>
            </button>
          </li>
        ))}
      </ul>
      <Part title="Options">
        <ul className="queues options-list">
          {options.map((option) => {
            const count = stats.by_option[option] ?? 0;
            const name = toOptionQueue(option);
            return (
              <li key={option}>
                <button type="button" aria-current={name === queue} onClick={() => onQueue(name)}>
                  <OptionName typeId={type.id} option={option} />
                  <span className="muted number">{count.toLocaleString()}</span>
                  <span className="meter" aria-hidden="true">
                    <span style={{ width: `${(count / largest) * 100}%`, background: colourOf(option) }} />
                  </span>
                </button>
              </li>
            );
          })}
        </ul>
      </Part>
    </Pane>
  );
}
