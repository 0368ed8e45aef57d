/** The engine's products of dense matrices, assembled from WebAssembly's text format. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import openAssembler from 'wabt';
import { projectRoot } from '../freshness.ts';

export const denseProductPath = 'src/engine/classifiers/dense-product-code.ts';

/** Returns the text of `dense-product-code.ts`. */
export async function renderDenseProduct(): Promise<string> {
  const { parseWat } = await openAssembler();
  const source = readFileSync(join(projectRoot, 'src/engine/classifiers/dense-product.wat'), 'utf8');
  const { buffer } = parseWat('dense-product.wat', source, { simd: true }).toBinary({});
  return `/** dense-product.wat in WebAssembly's binary format, as hexadecimal digits. Made by \`npm run docs\`: do not edit. */
export const denseProductCode =
  '${Buffer.from(buffer).toString('hex')}';
`;
}
