/** A log decided again page by page, over the typed client of a command or the page. */
import type { Verified } from './deciding/logs.ts';
import type { InputOf } from './operations.ts';

export type VerifiedLog = Record<'looked' | 'equal' | 'exact' | 'differing' | 'undecidable', number>;
/** How many records were seen so far, and of how many. */
type Seen = VerifiedLog & { seen: number; total: number };

const pageSize = 100;

/** Sums up the verification of a type's log up to the moment at which it begins; `tell` hears of each page. */
export async function verifyLog(
  readPage: (query: InputOf<'logs.verify'>['query']) => Promise<Verified>,
  { share, signal }: { share: number; signal: AbortSignal },
  tell: (items: Verified['items'], sums: Seen) => void,
): Promise<VerifiedLog> {
  const sums = { looked: 0, equal: 0, exact: 0, differing: 0, undecidable: 0 };
  const end_time = new Date().toISOString();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    signal.throwIfAborted();
    const { items, total, ...found } = await readPage({ page, page_size: pageSize, share, end_time });
    pages = Math.ceil(total / pageSize);
    for (const name of ['looked', 'equal', 'exact'] as const) sums[name] += found[name];
    for (const { reason } of items) sums[reason === 'differs' ? 'differing' : 'undecidable'] += 1;
    tell(items, { ...sums, seen: Math.min(total, page * pageSize), total });
  }
  return sums;
}
