/** Facts of the graphs of a text model, from the files beside them. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { z } from 'zod';
import { WorkbenchError } from '../../../engine/errors.ts';

/** Reads the facts of a graph, which lie beside it: `encoder.json` of `encoder.onnx`. Throws `unavailable`. */
export function readFacts<T>(modelPath: string, schema: z.ZodType<T>): T {
  const file = modelPath.replace(/\.onnx$/, '.json');
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    const message = `The file ${basename(file)} of the text model cannot be read. Put it back, or install the program again.`;
    throw new WorkbenchError('unavailable', message, undefined, { cause });
  }
}
