/** The list of who did what, as a page of Settings. */
import { useState } from 'react';
import { Busy, ErrorNote, Moment } from '../../parts/notes.tsx';
import { Pages } from '../../parts/pages.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';

/** Who deleted, imported, switched, exported or made keys, newest first. */
export function Activity() {
  const [page, setPage] = useState(1);
  const activity = useOperation('activity.list', { query: { page, page_size: 50 } }, { keepPrevious: true });
  if (activity.isError) return <ErrorNote error={activity.error} retry={() => void activity.refetch()} />;
  if (!activity.data) return <Busy>Reading the activity…</Busy>;
  if (activity.data.total === 0) return <p>Nothing was deleted, imported, switched or exported yet.</p>;
  return (
    <div className="stack">
      <PlainTable heads={['When', 'By', 'What', 'Decision type', 'Details']}>
        {activity.data.items.map((item) => (
          <tr key={`${item.created_at} ${item.operation} ${item.details}`}>
            <td>
              <Moment iso={item.created_at} />
            </td>
            <td className="wrap">{item.by === null ? 'not known' : showUnseen(item.by)}</td>
            <td className="wrap">{item.summary}</td>
            <td className="wrap">{item.decision_type === null ? '' : showUnseen(item.decision_type)}</td>
            <td className="wrap">{item.details === null ? '' : showUnseen(item.details)}</td>
          </tr>
        ))}
      </PlainTable>
      <Pages page={page} pages={activity.data.pages} onPage={setPage} />
    </div>
  );
}
