/** Gathers wished numbers of examples from a teacher, whichever it is. */
import type { Proposal } from '../../engine/training/request.ts';

/** Asks a teacher for up to `count` more examples of an option; fewer come as it likes, none when it has no more. */
export type AskTeacher = (option: string, count: number) => Promise<Proposal[]>;
/** One way to make examples; `tokens` is what the stored ones cost. */
export type Teacher = { ask: AskTeacher; tokens(stored: readonly Proposal[]): number; maxRounds: number };
/** How many labelled examples each option that may be asked for has. */
export type OptionCounts = ReadonlyMap<string, number>;

/**
 * Gathers `count` proposals, the options with the fewest examples first, that `accept` agrees with. An option of which
 * nothing more comes, or that was asked `maxRounds` times, is left to the others; the result is shorter than `count` only when all are exhausted.
 */
export async function collectProposals(
  { ask, maxRounds }: Pick<Teacher, 'ask' | 'maxRounds'>,
  options: OptionCounts,
  count: number,
  accept: (proposal: Proposal) => Promise<boolean>,
): Promise<Proposal[]> {
  const have = new Map(options);
  const rounds = new Map<string, number>();
  const made: Proposal[] = [];
  while (made.length < count && have.size > 0) {
    for (const [option, wanted] of share(have, count - made.length)) {
      const round = (rounds.get(option) ?? 0) + 1;
      rounds.set(option, round);
      const proposals = (await ask(option, wanted)).slice(0, wanted);
      const before = made.length;
      for (const proposal of proposals) if (await accept(proposal)) made.push(proposal);
      have.set(option, (have.get(option) ?? 0) + made.length - before);
      if (proposals.length === 0 || round >= maxRounds) have.delete(option);
    }
  }
  return made;
}

/** Gives each of `count` examples to the option that then has the fewest; ties in the order of the options. */
function share(have: OptionCounts, count: number): Map<string, number> {
  const wanted = new Map<string, number>();
  const reached = new Map(have);
  for (let given = 0; given < count; given += 1) {
    let fewest: string | null = null;
    for (const [option, n] of reached) if (fewest === null || n < (reached.get(fewest) ?? 0)) fewest = option;
    if (fewest === null) break;
    reached.set(fewest, (reached.get(fewest) ?? 0) + 1);
    wanted.set(fewest, (wanted.get(fewest) ?? 0) + 1);
  }
  return wanted;
}
