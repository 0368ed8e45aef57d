/** The OpenAPI document, whose bytes are made once. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { loadOnce } from '../process/load-once.ts';
import { type Preparation, WrittenAnswer } from './preparation.ts';

const compress = promisify(gzip);

/** Gives the document, which another process writes when the first caller asks for it. */
export const keepOpenApi = (preparation: Pick<Preparation, 'run'>, version: string): (() => Promise<WrittenAnswer>) =>
  loadOnce(async () => {
    const bytes = await preparation.run('documents', 'writeOpenApi', { version });
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    return new WrittenAnswer(bytes, { etag, gzip: await compress(bytes) });
  });
