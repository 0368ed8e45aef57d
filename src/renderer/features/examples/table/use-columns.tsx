import { ListFilter } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import type { Example } from '../../../../server/contract/examples/examples.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { Spread } from '../../../parts/bars.tsx';
import type { GridColumn } from '../../../parts/grid/columns.ts';
import type { SeenFields } from '../../../parts/hooks/use-seen-fields.ts';
import { Moment } from '../../../parts/notes.tsx';
import { OptionName, toColumnWidth } from '../../../parts/option.tsx';
import { flattenInput, valueText } from '../../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../../parts/text/names.ts';
import { useSettings } from '../../../state/workbench.ts';

const maxFieldColumns = 24;
const sampledRows = 60;
/** Fields with values longer than this are texts: they come first. */
const wideLength = 40;
/** Characters of a value, as a date or a number is, that is shown whole: its digits are wide. */
const maxShort = 26;
const fieldPrefix = 'field ';
/** Bars below the heading of a field that is not a number. */
const maxBars = 24;

type Fields = ReadonlyMap<string, unknown>;

/** Reads the fields of examples by path; each example is opened once. */
function useFields(): (example: Example) => Fields {
  const [opened] = useState(() => new WeakMap<object, Fields>());
  return useCallback(
    ({ input_payload }) => {
      const found = opened.get(input_payload);
      if (found) return found;
      const fields = new Map(flattenInput(input_payload).map(({ path, value }) => [path, value]));
      opened.set(input_payload, fields);
      return fields;
    },
    [opened],
  );
}

/** A heading's distribution, which opens the filter of its field. */
function FieldSpread({ field, seen, onFilter }: { field: string; seen: SeenFields; onFilter(field: string): void }) {
  const { distribution, values, counts } = seen.get(field) ?? { distribution: null, values: [], counts: [] };
  const shown = distribution !== null && values.length !== 2 ? distribution.counts : counts.slice(0, maxBars);
  return (
    <button
      type="button"
      className="below"
      // The key of the filter does the same: headings would be twice as many stops of the keyboard.
      tabIndex={-1}
      aria-label={`Filter by ${isolate(field)}`}
      title={`Filter by ${isolate(field)}. The bars show how often its values occur.`}
      onClick={() => onFilter(field)}
    >
      {shown.length > 0 ? <Spread counts={shown} /> : <ListFilter size={12} aria-hidden="true" />}
    </button>
  );
}

/** All columns, and those to show: as chosen, else the label, fields with texts first, and known facts. */
export function useColumns(
  { id: typeId, active_version: { options, readings } }: DecisionType,
  { count, at }: { count: number; at(index: number): Example | undefined },
  seen: SeenFields,
  onFilter: (field: string) => void,
) {
  const fieldsOf = useFields();
  const chosen = useSettings((state) => state.tables[typeId]?.columns);
  const first = at(0);
  const isHere = at(Math.min(sampledRows, count) - 1) !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns follow the first rows, not each change of one
  return useMemo(() => {
    const sample = Array.from({ length: Math.min(sampledRows, count) }, (_, index) => at(index))
      .filter((row) => row !== undefined)
      .map(fieldsOf);
    const paths = new Set([...sample.flatMap((fields) => [...fields.keys()]), ...seen.keys()]);
    const described = [...paths].map((path) => {
      const values = sample.map((fields) => fields.get(path) ?? null);
      const longest = Math.max(path.length, ...values.map((value) => valueText(value ?? '', readings[path]).length));
      const numeric = values.every((value) => typeof value === 'number' || value === null);
      return { path, longest, numeric };
    });
    const fields = described
      .sort((a, b) => Number(b.longest > wideLength) - Number(a.longest > wideLength))
      .map(({ path, longest, numeric }, place) => ({
        grows: place === 0,
        id: `${fieldPrefix}${path}`,
        header: showUnseen(path),
        says: `The field ${isolate(path)} of the input.`,
        sort: `input.${path}`,
        width: Math.min(420, Math.max(72, longest * (longest <= maxShort ? 8.5 : 7) + 20)),
        numeric,
        cell: (row: Example) => valueText(fieldsOf(row).get(path) ?? '', readings[path]),
        // Its height is there before the fields are known: a heading that grew would push the rows down.
        below: seen.has(path) ? (
          <FieldSpread field={path} seen={seen} onFilter={onFilter} />
        ) : (
          <span className="below" />
        ),
      }));
    const others = describeExample(typeId, options);
    const all: GridColumn<Example>[] = [...others, ...fields];
    const usual = [...others.slice(0, 1), ...fields.slice(0, maxFieldColumns), ...others.slice(1)];
    const picked = chosen?.flatMap((id) => all.find((column) => column.id === id) ?? []) ?? [];
    return { all, shown: picked.length > 0 ? picked : usual };
  }, [typeId, options, readings, fieldsOf, first?.id, isHere, seen, chosen]);
}

/** The columns of what is known about an example beside its input; the label is the first. */
function describeExample(typeId: string, options: readonly string[]): GridColumn<Example>[] {
  return [
    {
      id: 'label',
      header: 'Label',
      sort: 'decision',
      width: toColumnWidth(options),
      cell: (row) => <OptionName typeId={typeId} option={row.expected_decision} />,
    },
    {
      id: 'added',
      header: 'Added',
      sort: 'created_at',
      width: 130,
      cell: (row) => <Moment iso={row.created_at} />,
    },
    { id: 'reviewed', header: 'Reviewed', width: 84, cell: (row) => (row.reviewed ? 'yes' : '') },
    { id: 'source', header: 'Source', width: 84, cell: (row) => row.source },
  ];
}
