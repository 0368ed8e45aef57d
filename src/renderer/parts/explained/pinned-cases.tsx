/** The table of pinned cases. */
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { useOperation } from '../../state/queries.ts';
import { formatRoute } from '../../state/route.ts';
import { Part } from '../notes.tsx';
import { OptionCell } from '../option.tsx';
import { PlainTable } from '../plain-table.tsx';
import { shorten, summariseInput } from '../text/inputs.ts';
import { isolate, showUnseen } from '../text/names.ts';

const maxNamed = 20;
/** The link leads to the whole example. */
const maxShownLength = 160;

/** Cases whose decisions must hold, the broken ones first, and the rules that none of them reaches; nothing without. */
export function PinnedCases({ type, onlyRed = false }: { type: DecisionType; onlyRed?: boolean }) {
  const params = { decision_type_id: type.id };
  const { data } = useOperation('pinned_cases.list', { params, query: {} }, { enabled: type.model_deployed });
  if (data === undefined || data.items.length === 0 || (onlyRed && data.red === 0)) return null;
  const { items, red, uncovered_rules: uncovered } = data;
  const shown = items
    .filter(({ kept }) => !(onlyRed && kept))
    .sort((a, b) => Number(a.kept) - Number(b.kept))
    .slice(0, maxNamed);
  return (
    <Part title="Pinned cases">
      <div className="stack">
        <p className={red > 0 ? 'note error' : undefined} role="status">
          {red === 0
            ? `All ${items.length} pinned cases hold.`
            : `${red} of ${items.length} pinned cases ${red === 1 ? 'does' : 'do'} not hold.`}
        </p>
        <PlainTable label="Pinned cases" heads={['Case', 'Must be', 'Decided', 'By']}>
          {shown.map(({ example_id, input_payload, note, expected_decision, decision, stage, rules, kept }) => (
            <tr key={example_id}>
              <td className="wrap">
                <a
                  href={formatRoute({
                    page: 'type',
                    id: type.id,
                    place: 'examples',
                    query: { view: 'table', row: example_id },
                  })}
                >
                  {showUnseen(
                    shorten(note ?? summariseInput(input_payload, type.active_version.readings), maxShownLength),
                  )}
                </a>
              </td>
              <OptionCell typeId={type.id} option={expected_decision} />
              <td>
                {kept ? '✓\u00a0' : '✗\u00a0'}
                {decision === null ? 'refused by the input schema' : isolate(decision)}
              </td>
              <td>{rules.length > 0 ? rules.map(isolate).join(', ') : stage}</td>
            </tr>
          ))}
        </PlainTable>
        {!onlyRed && uncovered.length > 0 && (
          <p className="muted wrap">Rules that no case reaches: {uncovered.map(isolate).join(', ')}.</p>
        )}
      </div>
    </Part>
  );
}
