/** Queues that empty while they are read: no row is skipped, whatever is labelled meanwhile. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExamplePage } from '../../../src/renderer/api/labels.ts';
import { gatherRows, readNextPage } from '../../../src/renderer/features/examples/rows/use-rows.ts';
import type { Example } from '../../../src/server/contract/examples/examples.ts';

const pageSize = 100;
const filter = { labelled: false };

const example = (id: number, label: string | null) => ({ id: String(id), expected_decision: label }) as Example;

/** A server that pages over the rows without a label, and a page that knows some of them. */
function startQueue(count: number) {
  const labels = new Map<number, string | null>(Array.from({ length: count }, (_, id) => [id, null]));
  const pages: ExamplePage[] = [];
  const read = async (page: number): Promise<ExamplePage> => {
    const rows = [...labels].filter(([, label]) => label === null);
    const items = rows.slice((page - 1) * pageSize, page * pageSize).map(([id]) => example(id, null));
    return { items, total: rows.length, page, page_size: pageSize, pages: Math.ceil(rows.length / pageSize) };
  };
  const known = () =>
    pages.map((page) => ({
      ...page,
      items: page.items.map(({ id }) => example(Number(id), labels.get(Number(id)) ?? null)),
    }));
  return { labels, pages, read, known };
}

describe('a queue that labelling empties', () => {
  it('brings every row once and in order, however many are labelled before, while and after a page is read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 450 }),
        fc.array(fc.record({ before: fc.nat(130), during: fc.nat(130), skip: fc.nat(3) }), { maxLength: 12 }),
        async (count, steps) => {
          const { labels, pages, read, known } = startQueue(count);
          let cursor = 0;
          /** Labels the next rows that the page knows, leaving some out; never one it does not know. */
          const label = (number: number, skip: number) => {
            const rows = gatherRows(known());
            for (let at = 0; at < number && cursor < rows.length; at += 1, cursor += 1) {
              if (skip === 0 || at % (skip + 1) !== 0) labels.set(Number(rows[cursor]?.id), 'red');
            }
          };
          // A turn may bring no more rows than were labelled in it.
          for (let turn = 0; turn < 2 * count + 40; turn += 1) {
            const last = pages.at(-1);
            if (last && last.page >= last.pages) break;
            const { before, during, skip } = steps[turn % Math.max(1, steps.length)] ?? {
              before: 0,
              during: 0,
              skip: 0,
            };
            label(before, skip);
            let left = during;
            pages.push(
              await readNextPage(known, filter, async (page) => {
                label(left, skip);
                const answer = await read(page);
                label(left, skip);
                left = 0;
                return answer;
              }),
            );
          }
          expect(gatherRows(pages).map(({ id }) => Number(id))).toEqual(Array.from({ length: count }, (_, id) => id));
        },
      ),
      { numRuns: 200 },
    );
  });
});
