/** A share (0–1) in percent, with one decimal where it has one: `38%`, `0.5%`. */
export function formatShare(share: number): string {
  return `${Number((share * 100).toFixed(1))}%`;
}

/** From one share (0–1) to another, with one sign for both: `38.7 to 78.1%`. */
export function formatRange({ low, high }: { low: number; high: number }): string {
  return `${formatShare(low).slice(0, -1)} to ${formatShare(high)}`;
}
