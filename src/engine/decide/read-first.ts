/** Reading inputs by the readings of a policy before they are decided. */
import { compilePathReadings, type PathReading } from '../readings/readings.ts';
import type { Decider, DecisionResult } from './golden.ts';

/** A decider that reads the texts of inputs first; without readings it is the same one. */
export function readFirst(readings: readonly PathReading[], decider: Decider): Decider {
  if (readings.length === 0) return decider;
  const read = compilePathReadings(readings);
  return {
    ...decider,
    decide(given, options) {
      const { input, misread } = read(given);
      const result = decider.decide(input, options);
      if (misread.length === 0) return result;
      const tell = (decided: DecisionResult): DecisionResult => (decided.ok ? { ...decided, misread } : decided);
      return result instanceof Promise ? result.then(tell) : tell(result);
    },
    async embedAhead(inputs) {
      const givenOf = new Map(inputs.map((given) => [read(given).input, given]));
      const asked = await decider.embedAhead([...givenOf.keys()]);
      return asked.map((input) => givenOf.get(input) ?? input);
    },
    estimateWithout: (given, ...rest) => decider.estimateWithout(read(given).input, ...rest),
    findUnread(given) {
      const { input, misread } = read(given);
      const unread = decider.findUnread(input);
      return unread === null && misread.length === 0 ? null : [...misread, ...(unread ?? [])];
    },
    read: (given) => read(given).input,
  };
}
