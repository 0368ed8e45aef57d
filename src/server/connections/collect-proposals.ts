/** Gathering a number of examples from a teacher, whichever it is. */
import type { Proposal } from '../../engine/training/request.ts';

/** Asks a teacher for up to `count` more examples of an option; it may give fewer, and none at the end. */
type AskTeacher = (option: string, count: number) => Promise<Proposal[]>;
/** One way to make examples; `tokens` is the cost of the stored ones. */
export type Teacher = { ask: AskTeacher; tokens(stored: readonly Proposal[]): number; maxRounds: number };
/** How many labelled examples there are of each option that the teacher may be asked for. */
export type OptionCounts = ReadonlyMap<string, number>;

/** Gathers `count` proposals that `accept` agrees with, rarest options first; fewer where all are exhausted. */
export async function collectProposals(
  { ask, maxRounds }: Pick<Teacher, 'ask' | 'maxRounds'>,
  options: OptionCounts,
  count: number,
  accept: (proposal: Proposal) => Promise<boolean>,
): Promise<Proposal[]> {
  const counts = new Map(options);
  const rounds = new Map<string, number>();
  const gathered: Proposal[] = [];
  while (gathered.length < count && counts.size > 0) {
    for (const [option, wanted] of shareOut(counts, count - gathered.length)) {
      const round = (rounds.get(option) ?? 0) + 1;
      rounds.set(option, round);
      const proposals = (await ask(option, wanted)).slice(0, wanted);
      const before = gathered.length;
      for (const proposal of proposals) if (await accept(proposal)) gathered.push(proposal);
      counts.set(option, (counts.get(option) ?? 0) + gathered.length - before);
      if (proposals.length === 0 || round >= maxRounds) counts.delete(option);
    }
  }
  return gathered;
}

/** Shares `count` examples out, each to the option that then has the fewest; ties in the order of the options. */
function shareOut(counts: OptionCounts, count: number): Map<string, number> {
  const wanted = new Map<string, number>();
  const reached = new Map(counts);
  for (let i = 0; i < count; i += 1) {
    let fewest: string | null = null;
    for (const [option, n] of reached) if (fewest === null || n < (reached.get(fewest) ?? 0)) fewest = option;
    if (fewest === null) break;
    reached.set(fewest, (reached.get(fewest) ?? 0) + 1);
    wanted.set(fewest, (wanted.get(fewest) ?? 0) + 1);
  }
  return wanted;
}
