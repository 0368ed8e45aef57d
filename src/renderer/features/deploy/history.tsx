import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Busy, ErrorNote, Moment, Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { number } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';

const shownRows = 20;

/** Shows which policies were put in charge, when, by whom and why. */
export function History({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const { data, error } = useOperation('deployments.list', { params, query: { page_size: shownRows } });
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Busy>Loading the history…</Busy>;
  if (data.total === 0) return null;
  return (
    <Part title="History">
      <div className="stack">
        <PlainTable heads={['Deployed', 'Policy', 'By', 'Reason']}>
          {data.items.map(({ deployed_at, version, by, automatic, reason }) => (
            <tr key={`${deployed_at} ${version}`}>
              <td>
                <Moment iso={deployed_at} />
              </td>
              <td>v{version}</td>
              <td className="wrap">
                {automatic ? 'Automatically after training' : by === null ? '–' : showUnseen(by)}
              </td>
              <td className="wrap">{reason === null ? '–' : showUnseen(reason)}</td>
            </tr>
          ))}
        </PlainTable>
        {data.total > shownRows && (
          <p className="muted">
            The newest {shownRows} of {number(data.total)}.
          </p>
        )}
      </div>
    </Part>
  );
}
