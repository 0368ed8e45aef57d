/** The unpacked size of a file by its directory, before anything is unpacked: a few kilobytes can hold gigabytes. */
import { exampleBound } from '../limits.ts';
import { formatCount } from '../numeric.ts';
import { UnreadableFile } from './sheet.ts';

type SizeLimits = { maxRows: number; maxColumns: number; maxCells: number };

/** Parts up to this size are read however well they are packed. */
const smallPartBytes = 1_000_000;
/** Most bytes that a packed byte may unpack to. In sheets of equal numbers it is 12, of blanks 1,000. */
const maxPackedRatio = 100;

/** Refuses a workbook or a Parquet file that holds more than is read. Throws UnreadableFile. */
export async function checkPackedSize(bytes: Uint8Array, limits: SizeLimits): Promise<void> {
  const sign = String.fromCharCode(...bytes.subarray(0, 4));
  // A damaged file passes: its reader says what is wrong with it.
  const problem = await findExcess(sign, bytes, limits).catch(() => null);
  if (problem !== null) throw new UnreadableFile(problem);
}

async function findExcess(sign: string, bytes: Uint8Array, limits: SizeLimits): Promise<string | null> {
  if (sign === 'PK\x03\x04') return findBlankPart(bytes);
  return sign === 'PAR1' ? findLargeTable(bytes, limits) : null;
}

async function findBlankPart(bytes: Uint8Array): Promise<string | null> {
  const { unzipSync } = await import('fflate');
  let blankBytes = 0;
  unzipSync(bytes, {
    filter({ size, originalSize }) {
      if (originalSize > Math.max(smallPartBytes, maxPackedRatio * size)) blankBytes = originalSize;
      return false;
    },
  });
  if (blankBytes === 0) return null;
  const megabytes = Math.round(blankBytes / 1_000_000);
  return `A sheet takes ${megabytes} MB and holds next to nothing. Copy its table into a new workbook, or save it as CSV.`;
}

async function findLargeTable(bytes: Uint8Array, limits: SizeLimits): Promise<string | null> {
  const { parquetMetadata } = await import('hyparquet');
  const { num_rows, row_groups } = parquetMetadata(bytes);
  const columns = row_groups.map((group) => group.columns);
  const cells = columns.flat().reduce((sum, { meta_data }) => sum + Number(meta_data?.num_values ?? 0), 0);
  const refuse = (held: string, most: number, remedy: string) =>
    `The file holds ${held}; at most ${formatCount(most)} are read. ${remedy}`;
  if (num_rows > limits.maxRows) return refuse(`${formatCount(Number(num_rows))} rows`, limits.maxRows, exampleBound);
  const width = columns[0]?.length ?? 0;
  if (width > limits.maxColumns)
    return refuse(
      `${formatCount(width)} columns`,
      limits.maxColumns,
      'Leave out those that say nothing of the answer.',
    );
  if (cells > limits.maxCells)
    return refuse(`${formatCount(cells)} cells`, limits.maxCells, `Import it in several parts. ${exampleBound}`);
  return null;
}
