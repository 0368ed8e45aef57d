/** Formats a count for progress messages and notes, with commas between thousands. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');
