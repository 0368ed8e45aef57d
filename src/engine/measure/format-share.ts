/** A share (0–1) in percent, with one decimal where it has one: `38%`, `0.5%`. */
export function formatShare(share: number): string {
  return `${Number((share * 100).toFixed(1))}%`;
}
