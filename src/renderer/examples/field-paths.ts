function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Dot paths of all fields in some inputs, in order of appearance, objects opened up to four levels. */
export function fieldPaths(inputs: readonly Record<string, unknown>[]): string[] {
  const paths = new Set<string>();
  const walk = (value: Record<string, unknown>, prefix: string, depth: number) => {
    for (const [name, part] of Object.entries(value)) {
      if (isObject(part) && depth < 4) walk(part, `${prefix}${name}.`, depth + 1);
      else paths.add(prefix + name);
    }
  };
  for (const input of inputs) walk(input, '', 1);
  return [...paths];
}
