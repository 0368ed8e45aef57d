/**
 * A stated limit of wall time. It is stated for a machine that does nothing else; the suite runs its files side by
 * side, on machines it does not know, so there a limit is ten times as wide, still far below what a fault would take.
 * `EXACT_TIMES=1` holds a file that runs alone to what is stated.
 */
export const statedMs = (limitMs: number): number => (process.env.EXACT_TIMES === '1' ? limitMs : 10 * limitMs);
