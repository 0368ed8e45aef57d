import type { Metrics } from '../../../engine/domain/metrics.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { OptionName } from '../../parts/option.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { percent } from '../../parts/text/figures.ts';

const figureHeads: Readonly<Record<string, { name: string; says: string }>> = {
  precision: { name: 'Correct (precision)', says: 'How often this option is right where it was decided.' },
  recall: {
    name: 'Caught (recall)',
    says: 'The share of the examples with this label for which this option was decided.',
  },
  f1: { name: 'F1', says: 'Both shares in one figure: their harmonic mean.' },
  support: { name: 'Examples', says: 'Unseen examples with this label.' },
};

/** The figures of every option, the worst caught first. */
export function ClassTable({ type, perClass }: { type: DecisionType; perClass: Metrics['per_class'] }) {
  const columns = [...new Set(Object.values(perClass).flatMap((figures) => Object.keys(figures)))];
  const rows = Object.entries(perClass).sort(([, a], [, b]) => (a.recall ?? 0) - (b.recall ?? 0));
  return (
    <PlainTable
      className="options-table"
      heads={[
        'Option',
        ...columns.map(
          (column) => figureHeads[column] ?? { name: column.replaceAll('_', ' '), says: 'A figure of each option.' },
        ),
      ]}
    >
      {rows.map(([option, figures]) => (
        <tr key={option}>
          <td>
            <OptionName typeId={type.id} option={option} />
          </td>
          {columns.map((column) => {
            const value = figures[column];
            return (
              <td key={column} className="number">
                {value === undefined ? '–' : column === 'support' ? value : percent(value)}
              </td>
            );
          })}
        </tr>
      ))}
    </PlainTable>
  );
}
