/** The shape of `manifest.json` for the Python package: the engine's own schema, without words for people. */
import { type ZodType, z } from 'zod';
import { manifestSchema } from '../../src/engine/bundle/manifest.ts';

export const edgeManifestPath = 'edge/src/decision_edge/_bundle/manifest.schema.json';

const forPeople = new Set(['$schema', 'default', 'description', 'format', 'propertyNames']);

type Schema = { $ref?: string; $defs?: Record<string, unknown> };

/** Returns the schema as JSON, with shared parts in place of references. */
export function renderEdgeManifest(): string {
  const { $defs = {}, ...root } = toSchema(manifestSchema);
  const text = JSON.stringify(
    root,
    (key, value: Schema | null) => {
      // A member of that name in the data is an object here.
      if (key === 'propertyNames' || (forPeople.has(key) && typeof value !== 'object')) return undefined;
      const name = value?.$ref?.split('/').at(-1);
      return name === undefined ? value : $defs[name];
    },
    1,
  );
  return `${text}\n`;
}

/** Names out of the data pass two schemas, of which the second says what their values are. */
function toSchema(zod: ZodType): Schema {
  return z.toJSONSchema(zod, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod;
      if (def.type === 'pipe' && def.in._zod.def.type === 'unknown')
        Object.assign(jsonSchema, toSchema(def.out as ZodType));
    },
  }) as Schema;
}
