/** Parquet files are refused by the page: their reader is as large as the rest of it. */
import { type Sheet, UnreadableFile } from '../../engine/import/sheet.ts';

/** Refuses any file. */
export function readParquet(): Promise<Sheet> {
  throw new UnreadableFile('This is a Parquet file, which the page does not read. Save its table as CSV or Excel.');
}
