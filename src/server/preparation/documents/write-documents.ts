/** The documents of the interface, written away from the server's thread: half a second of work. */

import { makeOpenApi } from '../../contract/openapi.ts';
import { listOperations } from '../../contract/operations.ts';
import { makeDocsPage } from './docs-page.ts';

/** Writes the OpenAPI document and its readable page, whose examples call `baseUrl`. */
export function writeDocuments({ version, baseUrl }: { version: string; baseUrl: string }): {
  openApi: Uint8Array;
  page: Uint8Array;
} {
  const document = makeOpenApi({ title: 'Decision Workbench', version }, listOperations());
  return {
    openApi: Buffer.from(JSON.stringify(document)),
    page: Buffer.from(makeDocsPage(document, version, baseUrl)),
  };
}
