/** File names that an import reads. */
export const acceptedFiles = '.csv,.tsv,.tab,.txt,.json,.jsonl,.ndjson,.xlsx,.parquet,.zip';
/**
 * The bytes of a file, or of the sheets in a packed one, that the memory of a browser's worker holds with all cells.
 */
export const maxFileBytes = 100_000_000;
