/**
 * A limit on time or memory of a file that runs in both speeds: it is asserted in the long run alone, which sets the
 * number of cases and runs one file at a time.
 */
export const inLongRun = (limit: number): number =>
  process.env['FUZZ_CASES'] === undefined ? Number.POSITIVE_INFINITY : limit;
