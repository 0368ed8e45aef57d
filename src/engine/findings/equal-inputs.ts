/** Equal inputs: twice the same, or the same with different labels. */
import { toCanonicalJson } from '../json.ts';
import { hashString } from '../random.ts';
import { type Finding, type FindingRow, findMajority, quoteList, type Search, toFinding } from './finding.ts';

/** A number of 53 bits that equal texts share; two different ones among 200,000 do with a chance of 2 in a million. */
export function digestText(text: string): number {
  return hashString(text, 1) * 2 ** 21 + (hashString(text, 2) >>> 11);
}

type Group = { ids: string[]; decisions: (string | null)[]; heldOut: number };

/** A search that also says, after each row, whether its input was there before. */
type EqualInputSearch = Search & { isRepeated(): boolean };

/** Starts a search for examples with equal inputs; key order does not count. */
export function searchEqualInputs(): EqualInputSearch {
  const groups = new Map<number, Group>();
  let isRepeated = false;
  return {
    add(row: FindingRow) {
      const digest = digestText(toCanonicalJson(row.input));
      const group = groups.get(digest) ?? { ids: [], decisions: [], heldOut: 0 };
      isRepeated = group.ids.length > 0;
      if (!isRepeated) groups.set(digest, group);
      group.ids.push(row.id);
      group.decisions.push(row.decision);
      if (row.heldOut) group.heldOut += 1;
    },
    isRepeated: () => isRepeated,
    finish: () => [...groups.values()].flatMap((group) => (group.ids.length < 2 ? [] : toGroupFinding(group))),
  };
}

function toGroupFinding({ ids, decisions, heldOut }: Group): Finding {
  const labels = [...new Set(decisions.filter((decision) => decision !== null))];
  const count = ids.length;
  if (labels.length > 1) {
    const suggested = findMajority(decisions);
    return toFinding({
      kind: 'contradiction',
      severity: 'error',
      message: `${count} examples have the same input but are labelled ${quoteList(labels)}. Keep one label, or add the field that tells them apart.`,
      ids,
      suggested_decision: suggested,
      score: count,
    });
  }
  const isSplit = heldOut > 0 && heldOut < count;
  const onBothSides = ' Some are trained on and others measured on, which makes the figures too good.';
  return toFinding({
    kind: 'duplicate',
    severity: isSplit ? 'warning' : 'info',
    message: `${count} examples are the same.${isSplit ? onBothSides : ''} Keep one of them, unless the input really comes that often.`,
    ids,
    suggested_decision: decisions.includes(null) ? (labels[0] ?? null) : null,
    score: count,
  });
}
