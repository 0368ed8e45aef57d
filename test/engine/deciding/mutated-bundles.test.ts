/** A bundle comes from anywhere: this reader and the Python package agree on which ones are sound. */
import { strFromU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { bundleZipLimits } from '../../../src/engine/bundle/manifest.ts';
import { openZip } from '../../../src/engine/bundle/zip.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { runGolden } from '../../../src/engine/decide/golden.ts';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import { createTokenizer } from '../../../src/engine/text/tokenizer.ts';
import { sha256 } from '../bundle-fixture.ts';
import { mutate, mutations } from './mutated-bundles.ts';

/** Opens a bundle as it would be deployed: unpacked, compiled, and its golden lines decided. */
async function judge(bytes: Uint8Array): Promise<'accepted' | 'refused'> {
  try {
    const bundle = unpackBundle(bytes, sha256);
    const tokenizer = openZip(bytes, bundleZipLimits).read('text/tokenizer.json');
    const ports = { encoder: null, tokenizer: tokenizer ? createTokenizer(JSON.parse(strFromU8(tokenizer))) : null };
    const { failures } = await runGolden(bundle, compileDecider(bundle, { ...ports, now: () => 0 }));
    return failures.length === 0 ? 'accepted' : 'refused';
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    return 'refused';
  }
}

describe('a bundle that was changed on its way', () => {
  it.each(mutations)('$name: $verdict', async (mutation) => {
    expect(await judge(mutate(mutation))).toBe(mutation.verdict);
  });
});
