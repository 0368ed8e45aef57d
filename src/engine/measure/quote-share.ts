/** How a measured share is quoted, wherever the page, a report or a command says it. */
import type { MeasuredShare } from '../measured.ts';
import { formatRange, formatShare } from '../numeric.ts';

/** Measured rows under which a single share says too little, so that its range is quoted; and their widest range. */
const minRowsForShare = 60;
const widestRange = 0.245;

/** Words for a share: `figure` says it, `beside` stands quietly after it; `isRange` where the figure is a range. */
export type ShareQuote = { isKnown: boolean; isRange: boolean; figure: string; beside: string };

/** Quotes a share or, of few rows or cases, its 95% interval; where no share may be said, that. */
export function quoteShare({ share, of, low, high }: MeasuredShare): ShareQuote {
  if (share === null) return { isKnown: false, isRange: false, figure: 'not known yet', beside: '' };
  const range = formatRange({ low, high });
  const isRange = of < minRowsForShare || high - low > widestRange;
  const [figure, beside] = isRange ? [range, `${formatShare(share)} of ${of}`] : [formatShare(share), range];
  return { isKnown: true, isRange, figure, beside };
}

/** An accuracy in words: `headline` stands by itself, `phrase` completes "v1 decides, …". */
export type AccuracyQuote = ShareQuote & { headline: string; phrase: string };

/** Quotes an accuracy as `quoteShare` does. */
export function quoteAccuracy(accuracy: MeasuredShare): AccuracyQuote {
  const quote = quoteShare(accuracy);
  if (!quote.isKnown) return { ...quote, headline: 'Accuracy not known yet', phrase: 'accuracy not known yet' };
  const correct = `${quote.figure} correct`;
  return { ...quote, headline: correct, phrase: correct };
}
