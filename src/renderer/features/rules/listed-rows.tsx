import { type ReactNode, useState } from 'react';
import { PlainTable } from '../../parts/plain-table.tsx';
import { summariseInput } from '../../parts/text/inputs.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { formatRoute } from '../../state/route.ts';

type OpenedProps = {
  summary: ReactNode;
  label: string;
  heads: readonly string[];
  children: ReactNode;
};

/** A table that is made, and its rows asked for, once it is opened. */
export function Opened({ summary, label, heads, children }: OpenedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && (
        <PlainTable label={label} heads={heads}>
          {children}
        </PlainTable>
      )}
    </details>
  );
}

/** An example in one line, which leads to it in the table; `input` is the start of its JSON, shown until it is here. */
export function ExampleLink({ typeId, id, input }: { typeId: string; id: string; input: string }) {
  const params = { decision_type_id: typeId, example_id: id };
  const { data } = useOperation('examples.get', { params }, { staleMs: 60_000 });
  const text = data ? summariseInput(data.input_payload) : showUnseen(input);
  return (
    <a
      className="clip"
      title={text}
      href={formatRoute({
        page: 'type',
        id: typeId,
        place: 'examples',
        query: { view: 'table', queue: 'all', row: id },
      })}
    >
      {text}
    </a>
  );
}
