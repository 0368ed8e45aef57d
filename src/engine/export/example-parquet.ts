/** Examples as a Parquet file, a few thousand rows at a time. */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { byName } from '../domain/records.ts';
import { setFlags } from '../examples/fields.ts';
import { type Cell, type ExampleTable, exampleColumns, kinds } from './example-columns.ts';
import type { Examples, Pieces } from './pieces.ts';

/** A group of rows is written in one turn: as many as take some milliseconds. */
const groupLimits = { rows: 500, characters: 1_000_000 } as const;

const columnTypes = { text: 'BYTE_ARRAY', number: 'DOUBLE', boolean: 'BOOLEAN' } as const;
type ColumnType = keyof typeof columnTypes;
type Column = { name: string; type: ColumnType; values: Cell[] };

const ownTypes: Readonly<Partial<Record<string, ColumnType>>> = {
  ...byName(setFlags, () => 'boolean'),
  suggestion_probability: 'number',
};

/** A field's column has the type of its values where all have one. */
function toFieldType(seen: ReadonlySet<string>): ColumnType {
  const [only, ...others] = [...seen].filter((kind) => kind !== kinds.null);
  if (others.length > 0) return 'text';
  return only === kinds.number ? 'number' : only === kinds.boolean ? 'boolean' : 'text';
}

const toElement = ({ name, type }: Column): SchemaElement => ({
  name,
  type: columnTypes[type],
  ...(type === 'text' ? { converted_type: 'UTF8' } : {}),
  repetition_type: 'OPTIONAL',
});

/** Writes examples as Parquet; a column whose values are of several kinds holds texts. */
export async function* writeExampleParquet(table: ExampleTable, examples: Examples): Pieces {
  const columns: Column[] = [
    ...exampleColumns.map((name) => ({ name, type: ownTypes[name] ?? 'text', values: [] })),
    ...table.fields.map(({ header, kinds: seen }) => ({ name: header, type: toFieldType(seen), values: [] })),
  ];
  const bytes = new ByteWriter();
  const schema = [{ name: 'root', num_children: columns.length }, ...columns.map(toElement)];
  const writer = new ParquetWriter({ writer: bytes, schema, statistics: false, createdBy: 'Decision Workbench' });
  const takeBytes = () => {
    const taken = bytes.getBytes().slice();
    bytes.index = 0;
    return taken;
  };
  const endGroup = async () => {
    const columnData = columns.map(({ name, values }) => ({ name, data: values, offsetIndex: false }));
    await writer.write({ columnData, rowGroupSize: groupLimits.rows });
    for (const column of columns) column.values = [];
    return takeBytes();
  };
  let rows = 0;
  let characters = 0;
  for await (const example of examples) {
    for (const [place, cell] of table.toCells(example).entries()) {
      const column = columns[place];
      const value = column?.type === 'text' && cell !== null ? String(cell) : cell;
      column?.values.push(value);
      if (typeof value === 'string') characters += value.length;
    }
    rows += 1;
    if (rows < groupLimits.rows && characters < groupLimits.characters) continue;
    yield await endGroup();
    rows = 0;
    characters = 0;
  }
  if (rows > 0) yield await endGroup();
  await writer.finish();
  yield takeBytes();
}
