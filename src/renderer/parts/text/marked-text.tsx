/** A text with the words marked that weighed for a decision. */
import { type ReactNode, useMemo } from 'react';
import { readPlaces, toReadablePlace } from '../../../engine/features/readable-text.ts';
import { percent } from './figures.ts';
import { showUnseen } from './names.ts';

export type Word = { start: number; end: number; weight: number };

/** Words below this share of the heaviest are left as they are, and those whose weight rounds to nothing. */
const minShare = 0.15;
const minWeight = 0.0005;

/**
 * A text as people read it, with the words marked that weighed for a decision, or against it; the heavier, the
 * stronger. The words' places are those of the text as the input has it.
 */
export function MarkedText({ text: cell, words: inCell }: { text: string; words: readonly Word[] }) {
  const reading = useMemo(() => readPlaces(cell), [cell]);
  const text = reading?.text ?? cell;
  const words =
    reading === null
      ? inCell
      : inCell.map((word) => ({
          ...word,
          start: toReadablePlace(reading, word.start),
          end: toReadablePlace(reading, word.end - 1) + 1,
        }));
  const least = Math.max(minWeight, ...words.map(({ weight }) => Math.abs(weight) * minShare));
  const heavy = words.filter(({ weight }) => Math.abs(weight) >= least).sort((a, b) => a.start - b.start);
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end, weight } of heavy) {
    if (start < at || end > text.length) continue;
    const says = `${percent(Math.abs(weight))} ${weight >= 0 ? 'less' : 'more'} likely without it`;
    parts.push(
      showUnseen(text.slice(at, start)),
      <mark key={start} title={says} className={weight >= 0 ? undefined : 'against'}>
        {showUnseen(text.slice(start, end))}
      </mark>,
    );
    at = end;
  }
  return [...parts, showUnseen(text.slice(at))];
}
