/** `decision-edge` for Node. */
import { InvalidBundle, type LoadOptions, type Predictor, type TextModelFiles } from './api.ts';
import { readBytes, readTextModel, toPlatform } from './node-files.ts';
import { openPredictor } from './predictor.ts';

export type * from './api.ts';
export { InvalidBundle, InvalidInput, TextModelNeeded } from './api.ts';

/** As everywhere; the text model of a slim bundle may also be named by its folder. */
export type NodeLoadOptions = Omit<LoadOptions, 'textModel'> & { readonly textModel?: TextModelFiles | string };

/**
 * Opens a bundle, a path or its bytes, which decides its golden inputs first. Rejects with InvalidBundle or
 * TextModelNeeded, whose message begins with the path.
 */
export async function loadBundle(
  bundle: string | URL | Uint8Array | ArrayBuffer,
  options: NodeLoadOptions = {},
): Promise<Predictor> {
  const { runtime, textModel } = options;
  const isPlace = typeof bundle === 'string' || bundle instanceof URL;
  const bytes = isPlace ? await readBytes(bundle) : bundle instanceof ArrayBuffer ? new Uint8Array(bundle) : bundle;
  try {
    const files = typeof textModel === 'string' ? await readTextModel(textModel) : (textModel ?? null);
    return await openPredictor(bytes, toPlatform(files, runtime));
  } catch (error) {
    if (isPlace && error instanceof InvalidBundle) error.message = `${bundle}: ${error.message}`;
    throw error;
  }
}
