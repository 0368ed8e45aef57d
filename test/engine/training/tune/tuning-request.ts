/** Remarks whose option hangs on one rare word, which word pieces cannot learn and a tuned encoder can. */
import type { TrainingExample } from '../../../../src/engine/domain/training.ts';
import { createExample } from '../../training-request.ts';

const words = {
  praise: [
    ...['superb', 'delightful', 'flawless', 'charming', 'excellent', 'gorgeous', 'reliable', 'generous', 'brilliant'],
    ...['lovely', 'perfect', 'splendid', 'pleasant', 'wonderful', 'impressive', 'outstanding', 'magnificent', 'tasty'],
    ...['comfortable', 'spotless', 'friendly', 'elegant', 'fantastic', 'joyful', 'graceful', 'admirable', 'terrific'],
    ...['marvellous', 'refreshing', 'thoughtful', 'polite', 'fabulous', 'sturdy', 'exquisite', 'cheerful', 'divine'],
    ...['stunning', 'glorious', 'dependable', 'enjoyable', 'adorable', 'heavenly', 'first-rate', 'inspiring'],
  ],
  complaint: [
    ...['dreadful', 'broken', 'filthy', 'useless', 'awful', 'horrible', 'rotten', 'disgusting', 'faulty', 'shabby'],
    ...['terrible', 'miserable', 'rude', 'disappointing', 'ugly', 'painful', 'hopeless', 'nasty', 'worthless'],
    ...['lousy', 'appalling', 'boring', 'stale', 'unpleasant', 'flimsy', 'mediocre', 'gloomy', 'tasteless', 'pathetic'],
    ...['atrocious', 'defective', 'sloppy', 'annoying', 'frustrating', 'inferior', 'grim', 'wretched', 'shoddy'],
    ...['abysmal', 'ghastly', 'dull', 'messy', 'insulting', 'overpriced'],
  ],
};
const things = [
  ...['hotel', 'soup', 'chair', 'film', 'driver', 'garden', 'phone', 'teacher', 'bridge', 'cake', 'jacket', 'concert'],
  ...['window', 'airport', 'novel', 'printer', 'beach', 'dentist', 'carpet', 'museum', 'bicycle', 'waiter', 'lamp'],
];

/** 176 remarks, each word in two of them. */
export const remarks: TrainingExample[] = Object.entries(words).flatMap(([decision, list]) =>
  list.flatMap((word, w) =>
    [0, 1].map((again) => {
      const thing = things[(w * 5 + again * 11 + (decision === 'praise' ? 3 : 0)) % things.length] ?? '';
      const text = again === 0 ? `the ${thing} was ${word} this time` : `we found the ${thing} quite ${word}`;
      return createExample(`${decision}-${w}-${again}`, { remark: text }, decision);
    }),
  ),
);

const negate = (remark: unknown): string =>
  String(remark).replace('we found', 'we did not find').replace(' quite ', ' ');

/** The same, where half of them say what is not so, which the plain encoder hardly hears. */
export const negatedRemarks: { input: { remark: string }; decision: string }[] = remarks.map(
  ({ input: { remark }, decision }) => {
    const isNegated = String(remark).startsWith('we found');
    return {
      input: { remark: negate(remark) },
      decision: isNegated ? (decision === 'praise' ? 'complaint' : 'praise') : String(decision),
    };
  },
);
