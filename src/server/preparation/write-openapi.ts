/** The OpenAPI document, written away from the server's thread: half a second of work. */
import { makeOpenApi } from '../contract/openapi.ts';
import { listOperations } from '../contract/operations.ts';

/** Writes the document of the interface as JSON. */
export function writeOpenApi({ version }: { version: string }): Uint8Array {
  return Buffer.from(JSON.stringify(makeOpenApi({ title: 'Decision Workbench', version }, listOperations())));
}
