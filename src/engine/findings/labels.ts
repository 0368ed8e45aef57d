/** Labels that are not an option, options with too few examples, and labels that a training found suspect. */
import { limits } from '../limits.ts';
import { countOf } from '../numeric.ts';
import { type Finding, maxListedExamples, quoteList, type Search, toFinding } from './finding.ts';

/** The verdict of models that have not seen an example on its label; `doubt` is 0 to 1, higher is worse. */
export type LabelCheck = {
  example_id: string;
  label: string;
  probability: number;
  likelier: string;
  likelier_probability: number;
  doubt: number;
  suspect: boolean;
};

/** An option is rare below this share of the examples that each option would have of equally many. */
const rareShare = 0.1;

const toPlain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The option that differs from a label in case, blanks or punctuation only, or null. */
function findSpelling(label: string, options: readonly string[]): string | null {
  const found = options.filter((option) => toPlain(option) === toPlain(label));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Starts a search for labels that are not an option, and for options with too few examples. */
export function searchLabels(options: readonly string[]): Search {
  const counts = new Map<string, number>(options.map((option) => [option, 0]));
  const unknown = new Map<string, { ids: string[]; count: number }>();
  return {
    add({ id, decision }) {
      if (decision === null) return;
      const count = counts.get(decision);
      if (count !== undefined) {
        counts.set(decision, count + 1);
        return;
      }
      const group = unknown.get(decision) ?? { ids: [], count: 0 };
      unknown.set(decision, group);
      group.count += 1;
      if (group.ids.length < maxListedExamples) group.ids.push(id);
    },
    finish: () => [...listUnknown(unknown, options), ...listRare(counts)],
  };
}

function listUnknown(unknown: Map<string, { ids: string[]; count: number }>, options: readonly string[]): Finding[] {
  return [...unknown].map(([label, { ids, count }]) => {
    const spelling = findSpelling(label, options);
    const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
    const remedy =
      spelling === null
        ? `Give ${them} one of ${quoteList(options)}, or add the option`
        : `Probably "${spelling}" is meant: relabel ${them}`;
    return toFinding({
      kind: 'unknown_label',
      severity: 'error',
      message: `${countOf(count, 'example')} ${are} labelled "${label}", which is not an option, so nothing is learned from ${them}. ${remedy}.`,
      ids,
      count,
      suggested_decision: spelling,
      score: count,
    });
  });
}

function listRare(counts: Map<string, number>): Finding[] {
  const labelled = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const evenShare = labelled / Math.max(1, counts.size);
  return [...counts]
    .filter(([, count]) => count < limits.minExamplesPerOption || count < rareShare * evenShare)
    .map(([option, count]) =>
      toFinding({
        kind: 'rare_option',
        severity: 'warning',
        message: `Option "${option}" has ${count} of ${labelled} labelled examples. Label more of it: below ${limits.minExamplesPerOption} it is decided alone only where a training shows that it may, and few examples are learned badly.`,
        ids: [],
        count,
        suggested_decision: option,
        score: 1 - count / Math.max(1, labelled),
      }),
    );
}

const toPercent = (share: number) => `${(100 * share).toFixed(share < 0.01 ? 1 : 0)}%`;

/** Says why a label is suspect, and what to do. */
export function describeSuspect({ label, probability, likelier, likelier_probability }: LabelCheck): string {
  return `The label "${label}" is suspect: models that had not seen the example give it ${toPercent(probability)} and "${likelier}" ${toPercent(likelier_probability)}. Relabel it, or mark it as reviewed if it is right.`;
}

/** Suspect labels as findings, one an example, in their order: the most certain first. */
export function describeSuspects(checks: readonly LabelCheck[]): Finding[] {
  return checks.map((check) =>
    toFinding({
      kind: 'suspect_label',
      severity: 'warning',
      message: describeSuspect(check),
      ids: [check.example_id],
      suggested_decision: check.likelier,
      probability: check.likelier_probability,
      score: check.doubt,
    }),
  );
}
