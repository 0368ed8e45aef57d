/** How the accuracy of a policy is quoted, wherever the page, a report or a command says it. */

import { formatRange, formatShare } from '../format-share.ts';
import type { MeasuredShare } from '../measured.ts';

/** Measured rows under which a single share says too little, so that its range is quoted; and their widest range. */
const minRowsForShare = 60;
const widestRange = 0.245;

/**
 * The words for an accuracy: `phrase` completes "v1 decides, …", `figure` stands in a table, `beside` is said quietly
 * after it. `isRange`: the figure is the interval, the share beside it.
 */
export type AccuracyQuote = { isKnown: boolean; isRange: boolean; phrase: string; figure: string; beside: string };

const unknown: AccuracyQuote = {
  isKnown: false,
  isRange: false,
  phrase: 'accuracy not known yet',
  figure: 'not known yet',
  beside: '',
};

/** Quotes an accuracy: its share or, of few rows or cases, its 95% interval; where no share may be said, that. */
export function quoteAccuracy({ share, of, low, high }: MeasuredShare): AccuracyQuote {
  if (share === null) return unknown;
  const range = formatRange({ low, high });
  const isRange = of < minRowsForShare || high - low > widestRange;
  const [figure, beside] = isRange ? [range, `${formatShare(share)} of ${of}`] : [formatShare(share), range];
  return { isKnown: true, isRange, phrase: `${figure} correct`, figure, beside };
}
