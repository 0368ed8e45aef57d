import { Button, NumberInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Costs } from '../../../engine/costs.ts';
import type { Metrics } from '../../../engine/domain/metrics.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Form } from '../../parts/form.tsx';
import { findLongest, OptionCell, OptionName } from '../../parts/option.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { isolate } from '../../parts/text/names.ts';

/** Up to this many options all pairs fit a sheet; above it, those with a cost and the mistakes seen are listed. */
const maxSheetOptions = 8;
const maxListed = 30;

type Pair = Pick<Costs['pairs'][number], 'right' | 'decided'>;
type Props = {
  type: DecisionType;
  metrics: Metrics;
  isSaving: boolean;
  onSave(costs: Costs | null): void;
  onClose(): void;
};

type PairFields = { type: DecisionType; field: (pair: Pair) => React.ReactNode };

const noCosts: Costs = { currency: null, look: null, wrong: null, pairs: [] };
const toAmount = (value: number | string) => (value === '' ? null : Number(value));
const isSamePair = (a: Pair, b: Pair) => a.right === b.right && a.decided === b.decided;

/** The costs of a type as fields: currency, look, any wrong answer, and pairs of options that differ from that. */
export function CostSheet({ type, metrics, isSaving, onSave, onClose }: Props) {
  const [costs, setCosts] = useState<Costs>(type.costs ?? noCosts);
  // Listed once: a field that moved while it is written in would lose the cursor.
  const [listed] = useState(() => listPairs(type.costs ?? noCosts, metrics));
  const { options } = type.active_version;
  const edit = (patch: Partial<Costs>) => setCosts((before) => ({ ...before, ...patch }));
  const setPair = (pair: Pair, cost: number | null) => {
    const others = costs.pairs.filter((each) => !isSamePair(each, pair));
    edit({ pairs: cost === null ? others : [...others, { ...pair, cost }] });
  };
  const field = (pair: Pair) => (
    <NumberInput
      aria-label={`Cost where ${isolate(pair.right)} is right and ${isolate(pair.decided)} is decided`}
      min={0}
      allowNegative={false}
      hideControls
      placeholder={String(pair.right === pair.decided ? 0 : (costs.wrong ?? 0))}
      value={costs.pairs.find((each) => isSamePair(each, pair))?.cost ?? ''}
      onChange={(value) => setPair(pair, toAmount(value))}
    />
  );
  return (
    <Form onSubmit={() => onSave(costs)}>
      <div className="row">
        <TextInput
          label="Currency"
          description="As amounts are shown"
          placeholder="€"
          maxLength={20}
          value={costs.currency ?? ''}
          onChange={(event) => edit({ currency: event.currentTarget.value.trim() || null })}
        />
        <NumberInput
          label="Manual review"
          description="Cost of reviewing one decision"
          min={0}
          allowNegative={false}
          value={costs.look ?? ''}
          onChange={(value) => edit({ look: toAmount(value) })}
        />
        <NumberInput
          label="Error"
          description="Default cost of an error"
          min={0}
          allowNegative={false}
          value={costs.wrong ?? ''}
          onChange={(value) => edit({ wrong: toAmount(value) })}
        />
      </div>
      {options.length <= maxSheetOptions ? (
        <Sheet type={type} field={field} />
      ) : (
        <PairList type={type} pairs={listed} field={field} />
      )}
      <div className="row">
        <Button variant="filled" type="submit" loading={isSaving}>
          Save costs
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        {type.costs !== null && <Button onClick={() => onSave(null)}>Remove all costs</Button>}
      </div>
    </Form>
  );
}

function PairList({ type, pairs, field }: PairFields & { pairs: readonly Pair[] }) {
  return (
    <PlainTable heads={['Actual', 'Decided', 'Cost']}>
      {pairs.map((pair) => (
        <tr key={`${pair.right}\n${pair.decided}`}>
          <OptionCell typeId={type.id} option={pair.right} />
          <OptionCell typeId={type.id} option={pair.decided} />
          <td>{field(pair)}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function Sheet({ type, field }: PairFields) {
  const { options } = type.active_version;
  return (
    <div className="scroll">
      <table
        className="matrix"
        style={{ '--columns': options.length + 1, '--longest': findLongest(options) }}
        aria-label="Costs by right and decided option"
      >
        <thead>
          <tr>
            <th scope="col">Actual ↓ Decided →</th>
            {options.map((option) => (
              <th key={option} scope="col">
                <OptionName typeId={type.id} option={option} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {options.map((right) => (
            <tr key={right}>
              <th scope="row">
                <OptionName typeId={type.id} option={right} />
              </th>
              {options.map((decided) => (
                <td key={decided}>{field({ right, decided })}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Pairs that a list offers: those of the type, and the commonest mistakes on unseen examples. */
function listPairs({ pairs }: Costs, { confusion_labels: labels, confusion_matrix: matrix }: Metrics): Pair[] {
  const mistakes = labels
    .flatMap((right, row) =>
      labels.map((decided, column) => ({
        right,
        decided,
        count: right === decided ? 0 : (matrix[row]?.[column] ?? 0),
      })),
    )
    .filter((pair) => pair.count > 0 && !pairs.some((other) => isSamePair(other, pair)))
    .sort((a, b) => b.count - a.count);
  return [...pairs, ...mistakes].slice(0, Math.max(maxListed, pairs.length));
}
