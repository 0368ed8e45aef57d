/** Applies `map` to a value or to what a promise brings: with `async` throughout, a decision took a tenth more. */
export function mapMaybePromise<Value, Mapped>(
  value: Value | Promise<Value>,
  map: (value: Value) => Mapped | Promise<Mapped>,
): Mapped | Promise<Mapped> {
  return value instanceof Promise ? value.then(map) : map(value);
}
