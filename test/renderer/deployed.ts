/** A type with a deployed policy that makes mistakes: two options that a score tells apart, and labels that err. */
import { systemClock } from '../../src/server/process/clock.ts';
import { makeDeployedFolder } from '../server/workbench.ts';

const rows = 160;
const wrongEvery = 7;

export const claims = {
  name: 'claims',
  options: ['pay', 'refuse'],
  reason_codes: ['PROVEN', 'TOO_MUCH'],
  rules: [{ name: 'too much', condition: 'ctx.amount > 9000', then: 'refuse', reason_code: 'TOO_MUCH', priority: 1 }],
};

const claimExamples = Array.from({ length: rows }, (_, place) => {
  const isWrong = place % wrongEvery === 0;
  const isPaid = (place % 2 === 0) !== isWrong;
  // Wrong ones stand near the border, so that a higher confidence errs less.
  const spread = isWrong ? 10 : 40;
  return {
    input: {
      proof: place % 2 === 0 ? 60 + ((place * 37) % spread) : 50 - ((place * 41) % spread),
      amount: 100 + ((place * 733) % 8_000),
      online: place % 3 === 0,
      shop: { country: ['DE', 'AT', 'CH'][place % 3] },
    },
    decision: isPaid ? 'pay' : 'refuse',
    ...(isPaid ? { reason_codes: ['PROVEN'] } : {}),
  };
});

/** Trains it once, for the stories of a file. */
export const makeClaims = () => makeDeployedFolder(claims, claimExamples, systemClock);
