import { WorkbenchError } from '../../../../engine/errors.ts';
import type { ImportResult } from '../../../contract/examples/examples.ts';
import { toFolderPaths } from '../../../data-folder/folder.ts';
import type { Foundation } from '../../../foundation.ts';
import type { ImportRequest } from '../../../preparation/imports/read-import.ts';
import { LargeBody } from '../../../preparation/preparation.ts';
import type { ExampleMerges } from '../../../store/examples/example-merges.ts';
import type { DecisionTypeRecord } from '../../../store/types/decision-types.ts';
import type { ExampleAdditions } from '../example-additions.ts';
import { addExampleRows, toExampleType } from '../examples.ts';

/** Words of an export of examples, which a child compares with the examples of the type. */
const exported = /cell_kinds|"input_payload"/;

/** Characters of a file that is read on the server's thread, in 20 ms at worst; a child costs 1 ms. */
const maxLightFileLength = 8 * 1024;

/** Writes what an export of examples changes of those that are here; throws `conflict` where these are others now. */
export function applyMerges({ store }: Foundation, merges: ExampleMerges | null): void {
  if (merges !== null && store.exampleMerges.apply(merges) < merges.count)
    throw new WorkbenchError('conflict', 'Examples were changed meanwhile; nothing was imported. Import it again.');
}

/** Says what is in a file; `commit` adds its examples, with what `alongside` writes. Throws `validation_error`. */
export async function importExamples(
  deps: Foundation & { exampleAdditions: ExampleAdditions },
  callerId: string,
  type: DecisionTypeRecord,
  request: ImportRequest | LargeBody,
  alongside?: (result: ImportResult) => void,
): Promise<ImportResult> {
  const merge = { databaseFile: toFolderPaths(deps.options.dataDir).database, piiFields: type.piiFields };
  const order = { type: toExampleType(type), nowMs: deps.clock.now(), merge };
  const read = async () => {
    if (request instanceof LargeBody) {
      const { bytes, contentType } = request;
      return deps.preparation.run(callerId, 'readImport', { ...order, request: { bytes, contentType } });
    }
    if (request.content.length > maxLightFileLength || exported.test(request.content)) {
      return deps.preparation.run(callerId, 'readImport', { ...order, request });
    }
    const { readImport } = await import('../../../preparation/imports/read-import.ts');
    return readImport({ ...order, request }, false);
  };
  const { result, rows, merges } = await read();
  const finish = () => {
    applyMerges(deps, merges);
    alongside?.(result);
  };
  if (rows !== null) await addExampleRows(deps, type, rows, ['body', 'content'], finish);
  return result;
}
