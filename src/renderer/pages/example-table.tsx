import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import type { Example } from '../../server/contract/examples.ts';
import type { InputOf, OutputOf } from '../../server/contract/operations.ts';
import { type LabelAction, labelAction, moveRow } from '../examples/labelling.ts';
import { ErrorNote } from '../parts/layout.tsx';
import { useWorkbench } from '../workbench.tsx';

type Bulk = InputOf<'examples.bulk'>['body'];
type BulkChange = Pick<Bulk, 'action' | 'decision' | 'reviewed'>;

/** An input in one line: its only text as it is, else its fields. */
export function summariseInput(input: Record<string, unknown>): string {
  const entries = Object.entries(input);
  const [only] = entries;
  if (entries.length === 1 && only && typeof only[1] === 'string') return only[1];
  return entries
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
}

/** Examples as rows that are labelled by keyboard; every change can be undone, in order. */
export function ExampleTable({ type, items }: { type: DecisionType; items: readonly Example[] }) {
  const { client, ui } = useWorkbench();
  const cache = useQueryClient();
  const options = type.active_version.options;
  const params = { decision_type_id: type.id };
  const [row, setRow] = useState(0);
  // Read when a change runs, not when its key is pressed: keys come faster than answers.
  const undoTokens = useRef<string[]>([]);
  const [undoable, setUndoable] = useState(0);
  const scope = { id: `examples-${type.id}` };
  const body = useRef<HTMLTableSectionElement>(null);
  const current = Math.min(row, items.length - 1);
  const refresh = () => cache.invalidateQueries();

  const change = useMutation({
    scope,
    mutationFn: async ({ ids, change: what }: { ids: string[]; change: BulkChange }) => {
      const { undo_token } = await client.call('examples.bulk', { params, body: { ids, ...what } });
      setUndoable(undoTokens.current.push(undo_token));
    },
    onMutate: ({ ids, change: what }) => showAtOnce(ids, what),
    onSettled: refresh,
  });
  const undo = useMutation({
    scope,
    mutationFn: async () => {
      const undo_token = undoTokens.current.pop();
      setUndoable(undoTokens.current.length);
      if (undo_token === undefined) return;
      await client.call('examples.undo', { params, body: { undo_token } });
      ui.getState().announce('Undone');
    },
    onSettled: refresh,
  });

  // The key press shows at once; what the server says follows.
  function showAtOnce(ids: readonly string[], what: BulkChange) {
    cache.setQueriesData<OutputOf<'examples.list'>>({ queryKey: ['examples.list'] }, (page) => {
      if (!page) return page;
      const items = page.items.map((item) => {
        if (!ids.includes(item.id)) return item;
        if (what.action === 'set_decision') return { ...item, expected_decision: what.decision ?? null };
        return what.action === 'set_reviewed' ? { ...item, reviewed: what.reviewed ?? false } : item;
      });
      return { ...page, items: what.action === 'delete' ? items.filter((item) => !ids.includes(item.id)) : items };
    });
  }

  const act = (action: LabelAction) => {
    const example = items[current];
    if (action.kind === 'move' || action.kind === 'edge') return setRow(moveRow(current, action, items.length));
    if (action.kind === 'undo') return undo.mutate();
    if (!example) return;
    const ids = [example.id];
    if (action.kind === 'label') {
      const decision = options[action.option] ?? null;
      change.mutate({ ids, change: { action: 'set_decision', decision } });
      ui.getState().announce(`Labelled ${decision}`);
      setRow(moveRow(current, { kind: 'move', by: 1 }, items.length));
    } else if (action.kind === 'clear') change.mutate({ ids, change: { action: 'set_decision', decision: null } });
    else if (action.kind === 'review') {
      change.mutate({ ids, change: { action: 'set_reviewed', reviewed: !example.reviewed } });
      ui.getState().announce(example.reviewed ? 'Not reviewed' : 'Reviewed');
    } else change.mutate({ ids, change: { action: 'delete' } });
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLSelectElement) return;
    const action = labelAction(event, options.length);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    act(action);
  };
  // The focus follows the chosen row, but only while it is inside the table.
  useEffect(() => {
    const rows = body.current;
    if (rows?.contains(document.activeElement)) rows.querySelectorAll<HTMLElement>('tr')[current]?.focus();
  }, [current]);

  return (
    <div className="stack tight">
      {change.isError && <ErrorNote error={change.error} />}
      {undo.isError && <ErrorNote error={undo.error} />}
      <div className="row between">
        <p className="muted small">
          <kbd>j</kbd> <kbd>k</kbd> move ·{' '}
          {options.slice(0, 9).map((option, index) => (
            <span key={option}>
              <kbd>{index + 1}</kbd> {option}{' '}
            </span>
          ))}
          · <kbd>r</kbd> reviewed · <kbd>u</kbd> undo
        </p>
        <button
          type="button"
          className="small"
          disabled={undoable === 0 || undo.isPending}
          onClick={() => act({ kind: 'undo' })}
        >
          Undo
        </button>
      </div>
      <div className="scroll">
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table whose rows take keys */}
        <table role="grid" aria-label="Examples" onKeyDown={pressed}>
          <thead>
            <tr>
              <th scope="col">Input</th>
              <th scope="col">Decision</th>
              <th scope="col">Reviewed</th>
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody ref={body}>
            {items.map((example, index) => (
              <tr
                key={example.id}
                aria-selected={index === current}
                tabIndex={index === current ? 0 : -1}
                onFocus={() => setRow(index)}
              >
                <td>
                  <span className="clip" style={{ maxWidth: '40rem' }} title={summariseInput(example.input_payload)}>
                    {summariseInput(example.input_payload)}
                  </span>
                </td>
                <td style={{ minWidth: '11rem' }}>
                  <select
                    aria-label={`Decision of example ${index + 1}`}
                    value={example.expected_decision ?? ''}
                    tabIndex={index === current ? 0 : -1}
                    onChange={(event) =>
                      change.mutate({
                        ids: [example.id],
                        change: {
                          action: 'set_decision',
                          decision: event.target.value === '' ? null : event.target.value,
                        },
                      })
                    }
                  >
                    <option value="">No label</option>
                    {options.map((option) => (
                      <option key={option} value={option}>
                        {option}
                      </option>
                    ))}
                  </select>
                </td>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Example ${index + 1} reviewed`}
                    checked={example.reviewed}
                    tabIndex={index === current ? 0 : -1}
                    onChange={() =>
                      change.mutate({
                        ids: [example.id],
                        change: { action: 'set_reviewed', reviewed: !example.reviewed },
                      })
                    }
                  />
                </td>
                <td>
                  <span className="badge">{example.source}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
