import type { Database } from 'better-sqlite3';

const bytesPerNumber = 8;

/**
 * Gives a connection two functions of SQL: the aggregate `sorted_numbers(x)`, a blob of all x in ascending order as
 * little-endian doubles, and `count_between(blob, low, high)`, the number of them between two bounds, both included.
 */
export function addNumberLists(db: Database): void {
  db.aggregate('sorted_numbers', {
    start: (): number[] => [],
    step: (numbers: number[], next: number) => {
      numbers.push(next);
    },
    result: (numbers: number[]) => {
      const bytes = Buffer.allocUnsafe(numbers.length * bytesPerNumber);
      for (const [index, number] of Float64Array.from(numbers).sort().entries()) {
        bytes.writeDoubleLE(number, index * bytesPerNumber);
      }
      return bytes;
    },
    deterministic: true,
    directOnly: true,
  });
  db.function('count_between', { deterministic: true, directOnly: true }, (blob, low, high) => {
    const bytes = blob as Buffer;
    const below = countWhile(bytes, (number) => number < (low as number));
    return Math.max(0, countWhile(bytes, (number) => number <= (high as number)) - below);
  });
}

/** Returns how many numbers of an ascending list come before the first one for which `condition` is false. */
function countWhile(bytes: Buffer, condition: (number: number) => boolean): number {
  let low = 0;
  let high = bytes.length / bytesPerNumber;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(bytes.readDoubleLE(middle * bytesPerNumber))) low = middle + 1;
    else high = middle;
  }
  return low;
}
