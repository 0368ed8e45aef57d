/** File names that an import reads. */
export const acceptedFiles = '.csv,.tsv,.tab,.txt,.json,.jsonl,.ndjson,.xlsx,.parquet,.zip';
