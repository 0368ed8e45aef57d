/** The choice of the examples that the next training holds out to measure its policy. */
import { NativeSelect } from '@mantine/core';
import { atRandom, type SplitWay, splitWays } from '../../../engine/domain/training.ts';
import { parseDate } from '../../../engine/features/dates.ts';
import { flattenInput } from '../../parts/text/inputs.ts';
import { useOperation } from '../../state/queries.ts';

const ways = {
  random: {
    label: 'A fifth at random',
    says: 'Tells how it does on inputs like all examples; on new customers, times or wordings where the type says so, or where these are harder.',
  },
  date: {
    label: 'The newest by a date',
    says: 'It learns from the older ones and is tested on about the newest fifth: how it does on what comes next.',
  },
  group: {
    label: 'Whole groups',
    says: 'All examples of a customer, thread or template stay on one side: how it does on new ones.',
  },
  column: {
    label: 'As a field says',
    says: 'Tested on the examples whose field says test, held out, true, yes or 1. Nothing learns from these.',
  },
} as const satisfies Record<SplitWay['by'], object>;

type Props = { typeId: string; split: SplitWay; onChange(split: SplitWay): void };

/** Shows how examples are held out, and by which of the fields of some examples. */
export function SplitChoice({ typeId, split, onChange }: Props) {
  const query = { labelled: true, page_size: 50 };
  const some = useOperation('examples.list', { params: { decision_type_id: typeId }, query }).data?.items ?? [];
  const fields = new Map<string, boolean>();
  for (const { input_payload } of some) {
    for (const { path, value } of flattenInput(input_payload)) {
      fields.set(path, (fields.get(path) ?? true) && parseDate(value) !== null);
    }
  }
  if (split.field !== null && !fields.has(split.field)) fields.set(split.field, false);
  const names = [...fields.keys()];
  const choose = (by: SplitWay['by']) => {
    const field = (by === 'date' ? names.find((name) => fields.get(name)) : undefined) ?? split.field ?? names[0];
    onChange(by === 'random' || field === undefined ? atRandom : { by, field });
  };
  return (
    <div className="stack">
      <NativeSelect
        label="Test it on"
        maw={560}
        description={ways[split.by].says}
        data={splitWays.map((by) => ({ value: by, label: ways[by].label, disabled: names.length === 0 }))}
        value={split.by}
        onChange={({ currentTarget: { value } }) => {
          const by = splitWays.find((way) => way === value);
          if (by !== undefined) choose(by);
        }}
      />
      {split.field !== null && (
        <NativeSelect
          label="Field"
          maw={560}
          data={names}
          value={split.field}
          onChange={({ currentTarget: { value } }) => onChange({ ...split, field: value })}
        />
      )}
    </div>
  );
}
