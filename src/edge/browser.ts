/** `decision-edge` for browsers and other places without Node. */
import { InvalidBundle, type LoadOptions, type Predictor } from './api.ts';
import { openPredictor } from './predictor.ts';
import { sha256 } from './sha256.ts';

export type * from './api.ts';
export { InvalidBundle, InvalidInput, TextModelNeeded } from './api.ts';

/** Opens the bytes of a bundle and decides its golden inputs. Rejects with InvalidBundle or TextModelNeeded. */
export async function loadBundle(bundle: Uint8Array | ArrayBuffer, options: LoadOptions = {}): Promise<Predictor> {
  // The package declares both entries as Node's.
  if (!ArrayBuffer.isView(bundle) && !(bundle instanceof ArrayBuffer)) {
    throw new InvalidBundle('Outside Node a bundle is given by its bytes: await (await fetch(url)).arrayBuffer().');
  }
  const bytes = bundle instanceof ArrayBuffer ? new Uint8Array(bundle) : bundle;
  const { runtime, textModel = null } = options;
  return openPredictor(bytes, { sha256, runtime, importRuntime: async () => null, textModel });
}
