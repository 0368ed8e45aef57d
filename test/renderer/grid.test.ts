/** The cells of a grid under its keys: the cursor, the range up to it, and blocks of a spreadsheet, as properties. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLinesOfText } from '../../src/renderer/features/rules/sheet/read-lines.ts';
import { fillRange, layLines, type Move, moveCell, toRange, toTsv } from '../../src/renderer/parts/grid/cells.ts';

const size = { rows: 9, columns: 6 };
const start = { row: 0, column: 0, anchor: null };
const far = fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
const by = fc.oneof(fc.integer({ min: -12, max: 12 }), far);
const place = fc.integer({ min: -3, max: 12 });
const step = fc.record({ down: by, right: by, isExtended: fc.boolean() });
const goal = fc.record({ row: place, column: place, isExtended: fc.boolean() });
const moves = fc.array(fc.oneof(step, goal), { maxLength: 30 });
const walk = (all: readonly Move[]) =>
  all.reduce((cursor, move) => moveCell(cursor, move, size), start as ReturnType<typeof moveCell>);

describe('the cursor on cells', () => {
  test('stays within the grid wherever keys and pointer send it, and its range as well [RSH-16]', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const cursor = walk(all);
        const { top, bottom, left, right } = toRange(cursor);
        for (const at of [cursor.row, top, bottom]) expect(at >= 0 && at < size.rows).toBe(true);
        for (const at of [cursor.column, left, right]) expect(at >= 0 && at < size.columns).toBe(true);
        expect([top <= bottom, left <= right]).toEqual([true, true]);
        expect([top, bottom]).toContain(cursor.row);
        expect([left, right]).toContain(cursor.column);
      }),
    );
  });

  test('takes its range along while it is extended, from where that began, and drops it with the next move', () => {
    fc.assert(
      fc.property(moves, fc.array(step, { minLength: 1, maxLength: 6 }), step, (before, extending, after) => {
        const from = moveCell(walk(before), { down: 0, right: 0 }, size);
        const extended = extending.reduce(
          (cursor, move) => moveCell(cursor, { ...move, isExtended: true }, size),
          from,
        );
        expect(extended.anchor).toEqual({ row: from.row, column: from.column });
        const moved = moveCell(extended, { ...after, isExtended: false }, size);
        expect(moved.anchor).toBe(null);
        expect(fillRange(toRange(moved), () => '')).toHaveLength(1);
      }),
    );
  });
});

describe('a block of cells', () => {
  const cells = fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 4 });

  test('fills a range that is a multiple of it, else it is laid once on each side that is none [RSH-16]', () => {
    fc.assert(
      fc.property(cells, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (block, high, wide) => {
        const range = { top: 3, left: 2, bottom: 3 + high - 1, right: 2 + wide - 1 };
        const laid = layLines(
          block.map((line) => ({ cells: line })),
          range,
        );
        const [rows, columns] = [high % block.length === 0 ? high : block.length, wide % 2 === 0 ? wide : 2];
        expect(laid).toHaveLength(rows * columns);
        for (const { row, column, text } of laid)
          expect(text).toBe(block[(row - 3) % block.length]?.[(column - 2) % 2]);
      }),
    );
  });

  test('goes to a spreadsheet and comes back to the letter [RSH-16] [RSH-6]', () => {
    fc.assert(
      fc.property(cells, (block) => {
        const lines = readLinesOfText(toTsv(block)).map((line) => line.cells);
        expect(lines).toEqual(block);
      }),
    );
  });
});
