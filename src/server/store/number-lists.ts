/** Sorted lists of numbers as bytes in the database: how many lie between two bounds is found without reading rows. */
import type { Database } from 'better-sqlite3';

const bytesPerNumber = 8;

/**
 * Gives a connection two functions of SQL: the aggregate `sorted_numbers(x)`, a blob of all x in ascending order (doubles
 * of 8 bytes, the lowest byte first), and `count_between(blob, low, high)`, how many of them lie between two bounds,
 * both included.
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

/** How many numbers of an ascending list come before the first one for which `holds` is false. */
function countWhile(bytes: Buffer, holds: (number: number) => boolean): number {
  let least = 0;
  let most = bytes.length / bytesPerNumber;
  while (least < most) {
    const middle = (least + most) >>> 1;
    if (holds(bytes.readDoubleLE(middle * bytesPerNumber))) least = middle + 1;
    else most = middle;
  }
  return least;
}
