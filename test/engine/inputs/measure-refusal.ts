/** Run by itself: opens an honest bundle, then a hostile one, and prints by how many MiB the process grew, and why. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const [honest = '', hostile = ''] = process.argv.slice(2);
unpackBundle(readFileSync(honest), sha256);
const beforeKb = process.resourceUsage().maxRSS;
try {
  unpackBundle(readFileSync(hostile), sha256);
} catch (error) {
  const grownMb = Math.round((process.resourceUsage().maxRSS - beforeKb) / 1024);
  process.stdout.write(JSON.stringify({ grownMb, message: String(error) }));
}
