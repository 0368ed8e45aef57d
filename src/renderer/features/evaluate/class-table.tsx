import type { Metrics } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { percent } from '../../parts/figures.ts';
import { OptionName } from '../../parts/option.tsx';

const figureNames: Readonly<Record<string, string>> = {
  precision: 'its answers right',
  recall: 'of it found',
  f1: 'F1',
  support: 'examples',
};

/** The figures of every option, the worst found first. */
export function ClassTable({ type, perClass }: { type: DecisionType; perClass: Metrics['per_class'] }) {
  const columns = [...new Set(Object.values(perClass).flatMap((figures) => Object.keys(figures)))];
  const rows = Object.entries(perClass).sort(([, a], [, b]) => (a.recall ?? 0) - (b.recall ?? 0));
  return (
    <div className="scroll options-table">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Option</th>
            {columns.map((column) => (
              <th key={column} scope="col" className="number">
                {figureNames[column] ?? column.replaceAll('_', ' ')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  );
}
