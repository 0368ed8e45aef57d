import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { Confusion } from '../../../engine/measure/confusion.ts';
import { listMistakes } from '../../../engine/measure/mistakes.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { FigureHead } from '../../parts/figure.tsx';
import { Part } from '../../parts/notes.tsx';
import { findLongest, OptionCell, OptionName } from '../../parts/option.tsx';
import { useWide } from '../../parts/panes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count, percent } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { changeQuery, useQueryPart } from '../../state/route.ts';

/** Up to this many options a matrix fits its place; above it the commonest mistakes are listed. */
const maxMatrixOptions = 12;
const maxListed = 30;
/** Mistakes beside the matrix, which are about as high as it is. */
const maxBeside = 12;
/** Names of more characters than this in all would not stand beside one another. */
const maxLevelCharacters = 60;
type Props = { type: DecisionType; confusion: Confusion; canOpen: boolean };

/** Where the policy is wrong: a matrix, or with many options the commonest mistakes first. */
export function Confusions(props: Props) {
  const { confusion, canOpen } = props;
  const isSmall = confusion.confusion_labels.length <= maxMatrixOptions;
  const [view, setView] = useState<'matrix' | 'list'>(isSmall ? 'matrix' : 'list');
  const longest = findLongest(confusion.confusion_labels);
  const isSlanted = confusion.confusion_labels.length * longest > maxLevelCharacters;
  const isBeside = useWide() && isSlanted && view === 'matrix';
  return (
    <Part
      title="Where it is wrong"
      tools={
        <span className="row">
          {canOpen && listMistakes(confusion).length > 0 && (
            <Button size="compact-xs" onClick={() => changeQuery({ worst: 'yes', right: '', decided: '' })}>
              Worst mistakes
            </Button>
          )}
          {isSmall && (
            <SegmentedControl
              aria-label="View of the mistakes"
              value={view}
              onChange={setView}
              data={[
                { value: 'matrix', label: 'Matrix' },
                { value: 'list', label: 'List' },
              ]}
            />
          )}
        </span>
      }
    >
      <div className="mistakes">
        {view === 'matrix' && <Matrix {...props} longest={longest} isSlanted={isSlanted} />}
        {(view === 'list' || isBeside) && <Mistakes {...props} most={isBeside ? maxBeside : maxListed} />}
      </div>
    </Part>
  );
}

const openCell = (right: string, decided: string) => changeQuery({ right, decided, worst: '' });

/** Says what a cell counts: `5 examples of approve decided as deny`. */
function nameCell(examples: number, right: string, decided: string): string {
  return `${count(examples, 'example')} of ${isolate(right)} decided as ${isolate(decided)}`;
}

function Matrix({ type, confusion, canOpen, longest, isSlanted }: Props & { longest: number; isSlanted: boolean }) {
  const { confusion_labels: labels, confusion_matrix: matrix, per_class } = confusion;
  const { right, decided } = useQueryPart();
  return (
    <div className="scroll">
      <table
        className={isSlanted ? 'matrix slanted' : 'matrix'}
        style={{ '--columns': labels.length, '--longest': longest }}
        aria-label="Right options against decided ones"
        title="How many unseen examples of the option at the left were decided as the option above, by rules, classifier and thresholds together."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches what the pointer can hover over
        tabIndex={0}
      >
        <thead>
          <tr>
            <th scope="col">Actual ↓ Decided →</th>
            {labels.map((label) => (
              <th key={label} scope="col">
                <OptionName typeId={type.id} option={label} />
              </th>
            ))}
            <FigureHead says="The share of the examples of this option that were decided as it.">Caught</FigureHead>
          </tr>
        </thead>
        <tbody>
          {labels.map((label, row) => {
            const counts = matrix[row] ?? [];
            const sum = counts.reduce((total, count) => total + count, 0);
            return (
              <tr key={label}>
                <th scope="row">
                  <OptionName typeId={type.id} option={label} />
                </th>
                {labels.map((other, column) => {
                  const count = counts[column] ?? 0;
                  const share = sum === 0 ? 0 : count / sum;
                  return (
                    <td
                      key={other}
                      className={row === column ? 'hit' : count > 0 ? 'miss' : undefined}
                      style={{ '--share': share }}
                      aria-current={label === right && other === decided ? 'true' : undefined}
                    >
                      {count === 0 || !canOpen ? (
                        <span className={count === 0 ? 'muted none' : undefined}>{count}</span>
                      ) : (
                        <button
                          type="button"
                          aria-label={nameCell(count, label, other)}
                          title={nameCell(count, label, other)}
                          onClick={() => openCell(label, other)}
                        >
                          {count}
                        </button>
                      )}
                    </td>
                  );
                })}
                <td className="number muted">{percent(per_class[label]?.recall ?? 0)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Mistakes({ type, confusion, canOpen, most }: Props & { most: number }) {
  const mistakes = listMistakes(confusion);
  if (mistakes.length === 0) return <p className="muted">No mistakes on the unseen examples.</p>;
  return (
    <PlainTable
      label="Commonest mistakes"
      heads={['Actual', 'Decided', { name: 'Examples', says: 'Unseen examples with this mistake.' }]}
    >
      {mistakes.slice(0, most).map(({ right, decided, count }) => (
        <tr key={`${right}\n${decided}`}>
          <OptionCell typeId={type.id} option={right} />
          <OptionCell typeId={type.id} option={decided} />
          <td className="number">
            {canOpen ? (
              <Button
                size="compact-xs"
                aria-label={nameCell(count, right, decided)}
                onClick={() => openCell(right, decided)}
              >
                {count}
              </Button>
            ) : (
              count
            )}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}
