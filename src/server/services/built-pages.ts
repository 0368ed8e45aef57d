/** The pages that the build makes, complete but for what each is to hold. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { WorkbenchError } from '../../engine/errors.ts';
import type { ServerOptions } from '../process/options.ts';

/** Reads a built page; `does` says what it is for. Rejects with `unavailable` where it was not built. */
export function readBuiltPage(
  { edgeDir }: Pick<ServerOptions, 'edgeDir'>,
  name: string,
  does: string,
): Promise<string> {
  return readFile(path.join(edgeDir, name), 'utf8').catch((cause: unknown) => {
    const message = `The page that ${does} by itself is not built. Run npm run build, then save it again.`;
    throw new WorkbenchError('unavailable', message, undefined, { cause });
  });
}
