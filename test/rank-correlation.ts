/** Spearman's rank correlation of two lists of numbers of the same length, equal numbers at the mean of their ranks. */
export function correlateRanks(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [rank(a), rank(b)];
  const mean = (a.length - 1) / 2;
  const sumProducts = (u: readonly number[], v: readonly number[]) =>
    u.reduce((sum, value, i) => sum + (value - mean) * ((v[i] as number) - mean), 0);
  return sumProducts(x, y) / Math.sqrt(sumProducts(x, x) * sumProducts(y, y));
}

function rank(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal - 1) / 2;
  });
}
