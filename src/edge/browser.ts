/** `decision-edge` for browsers and other places without Node. */
import type { LoadOptions, Predictor } from './api.ts';
import { openPredictor } from './predictor.ts';
import { sha256 } from './sha256.ts';

export type * from './api.ts';
export { InvalidBundle, InvalidInput, TextModelNeeded } from './api.ts';

/** Opens the bytes of a bundle and decides its golden inputs. Rejects with InvalidBundle or TextModelNeeded. */
export function loadBundle(bundle: Uint8Array | ArrayBuffer, options: LoadOptions = {}): Promise<Predictor> {
  const bytes = bundle instanceof ArrayBuffer ? new Uint8Array(bundle) : bundle;
  const { runtime, textModel = null } = options;
  return openPredictor(bytes, { sha256, runtime, importRuntime: async () => null, textModel });
}
