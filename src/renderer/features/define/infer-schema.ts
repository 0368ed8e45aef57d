type FieldSchema = { type: string | string[] };
/** A JSON Schema of the top-level fields: enough to refuse an input that is plainly not one. */
type InferredSchema = { type: 'object'; properties: Record<string, FieldSchema>; required: string[] };

function inferType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** The fields seen in some inputs with their JSON types; a field that every input has is required. */
export function inferSchema(inputs: readonly Record<string, unknown>[]): InferredSchema {
  const kinds = new Map<string, { kinds: Set<string>; count: number }>();
  for (const input of inputs) {
    for (const [name, value] of Object.entries(input)) {
      const seen = kinds.get(name) ?? { kinds: new Set<string>(), count: 0 };
      seen.kinds.add(inferType(value));
      seen.count += 1;
      kinds.set(name, seen);
    }
  }
  const properties: Record<string, FieldSchema> = {};
  for (const [name, seen] of kinds) {
    const [only, ...others] = seen.kinds;
    properties[name] = { type: others.length === 0 && only !== undefined ? only : [...seen.kinds] };
  }
  const required = [...kinds].filter(([, { count }]) => count === inputs.length).map(([name]) => name);
  return { type: 'object', properties, required };
}
