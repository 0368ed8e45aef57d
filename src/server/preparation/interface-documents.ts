/** The documents that describe the interface, whose bytes are made once. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { loadOnce } from '../process/load-once.ts';
import { createRecentCache } from '../process/recent-cache.ts';
import { type Preparation, WrittenAnswer } from './preparation.ts';

export type InterfaceDocuments = {
  openApi(): Promise<WrittenAnswer>;
  /** The readable page, whose examples call `baseUrl`. */
  page(baseUrl: string): Promise<WrittenAnswer>;
};

/** Stands in the page where the address of a caller comes. */
const addressMark = 'http://address.invalid';
/** The names by which a machine calls itself, and some of its own. */
const keptAddresses = 4;

/** Gives the documents, which another process writes when the first caller asks for one. */
export function createInterfaceDocuments(preparation: Pick<Preparation, 'run'>, version: string): InterfaceDocuments {
  const load = loadOnce(async () => {
    const { openApi, page } = await preparation.run('documents', 'writeDocuments', { version, baseUrl: addressMark });
    return { openApi: await keep(openApi), page: Buffer.from(page).toString() };
  });
  const pages = createRecentCache<string, () => Promise<WrittenAnswer>>(keptAddresses);
  return {
    openApi: async () => (await load()).openApi,
    page(baseUrl) {
      let page = pages.get(baseUrl);
      if (page === undefined) {
        page = loadOnce(async () => keep(Buffer.from((await load()).page.replaceAll(addressMark, baseUrl))));
        pages.set(baseUrl, page);
      }
      return page();
    },
  };
}

const compress = promisify(gzip);

async function keep(bytes: Uint8Array): Promise<WrittenAnswer> {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return new WrittenAnswer(bytes, { etag, gzip: await compress(bytes) });
}
