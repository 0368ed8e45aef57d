/**
 * Applies `map` to a value that is there already, or to what a promise brings.
 *
 * Measured: a decision whose handler, adapter and deciding were `async` throughout took a tenth more processor time.
 */
export function mapMaybePromise<Value, Mapped>(
  value: Value | Promise<Value>,
  map: (value: Value) => Mapped | Promise<Mapped>,
): Mapped | Promise<Mapped> {
  return value instanceof Promise ? value.then(map) : map(value);
}
