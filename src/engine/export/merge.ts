/** Merging exported examples into those of a type: what is the same, what changes, and what a person must settle. */

import { pick } from '../domain/records.ts';
import { type ExampleRecord, fieldsOfLabel, fieldsOfUntouched, mergedFields } from '../examples/fields.ts';
import { toCanonicalJson } from '../json.ts';

/** An example as far as two copies of it can differ. Times are milliseconds since 1970. */
export type Mergeable = Pick<ExampleRecord, 'id' | 'updatedAt' | (typeof mergedFields)[number]>;
/**
 * An example of a file. `isMasked`: its personal values were replaced, so its input says nothing new. `blindBy`: the
 * reader who gave its label without sight of any other; the file says nothing else of it.
 */
export type FileExample<E extends Mergeable> = {
  line: number;
  example: E;
  isMasked: boolean;
  blindBy?: string | undefined;
};

export const conflictChoices = ['keep', 'take', 'flag', 'refuse'] as const;
/** Which side a conflict gives; `flag` leaves the example without a label, flagged, with both labels in its note. */
export type ConflictChoice = (typeof conflictChoices)[number];

export type KnownExamples<E extends Mergeable> = {
  find(id: string): E | null;
  /** Lists those whose input is, as canonical JSON, one of these texts. */
  listEqual(inputs: ReadonlySet<string>): Iterable<E>;
  /** Who has labelled a labelled example: the readers of its label and, where it has one, of its second reading. */
  listReaders(example: E): readonly (string | null)[];
};

export type Conflict<E extends Mergeable> = { line: number; mine: E; theirs: E; about: 'label' | 'input' };
export type MergePlan<E extends Mergeable> = {
  added: E[];
  /** Examples as they become, each with the time at which it must still have been changed last. */
  changed: { example: E; expectedUpdatedAt: number }[];
  /** How many of them are conflicts. */
  settled: number;
  unchanged: number;
  conflicts: Conflict<E>[];
  /** The example of the file for each known one that it is, by that one's id. */
  matched: Map<string, E>;
  /** Those of them whose label in the file becomes a second reading. */
  readAgain: { id: string; mine: E }[];
  /** Labels of a labelling page whose example is not here any more. */
  gone: number;
};

const maxNoteLength = 2_000;

/**
 * Plans a merge. An example of the file is the one of its id, else one of an equal input, each of them once; what is
 * left is new. No label is ever removed but by a conflict that is flagged.
 */
export function planMerge<E extends Mergeable>(
  file: readonly FileExample<E>[],
  known: KnownExamples<E>,
  choice: ConflictChoice,
): MergePlan<E> {
  const plan: MergePlan<E> = {
    ...{ added: [], changed: [], settled: 0, unchanged: 0, conflicts: [] },
    ...{ matched: new Map(), readAgain: [], gone: 0 },
  };
  const left: FileExample<E>[] = [];
  const readAgain = (mine: E, theirs: E, reader: string) => {
    const readers = known.listReaders(mine);
    const isOwn = readers[0] === reader;
    // Somebody who sends their labels again may have thought otherwise; a third reader is one too many.
    const isNew = isOwn ? mine.decision !== theirs.decision : readers.length === 1;
    if (isNew && !isOwn) plan.readAgain.push({ id: mine.id, mine });
    const isConfirmed = isNew && mine.decision === theirs.decision && !mine.reviewed;
    const example =
      isNew && isOwn ? { ...mine, ...takeLabel(theirs) } : isConfirmed ? { ...mine, reviewed: true } : mine;
    if (example !== mine) plan.changed.push({ example, expectedUpdatedAt: mine.updatedAt });
    if (!isNew) plan.unchanged += 1;
  };
  const merge = (mine: E, theirs: FileExample<E>) => {
    plan.matched.set(mine.id, theirs.example);
    if (theirs.blindBy !== undefined && mine.decision !== null) return readAgain(mine, theirs.example, theirs.blindBy);
    const conflict = findConflict(mine, theirs);
    if (conflict !== null) plan.conflicts.push(conflict);
    const example = conflict === null ? join(mine, theirs) : settle(conflict, choice);
    const isChanged = !isSame(mine, example);
    if (isChanged) plan.changed.push({ example, expectedUpdatedAt: mine.updatedAt });
    if (conflict === null && !isChanged) plan.unchanged += 1;
    if (conflict !== null && isChanged) plan.settled += 1;
  };
  for (const theirs of file) {
    const mine = known.find(theirs.example.id);
    if (mine !== null && !plan.matched.has(mine.id)) merge(mine, theirs);
    else if (theirs.blindBy !== undefined) plan.gone += 1;
    else left.push(theirs);
  }
  const equal = new Map<string, E[]>();
  for (const mine of known.listEqual(new Set(left.map(({ example }) => toCanonicalJson(example.input))))) {
    if (plan.matched.has(mine.id)) continue;
    const input = toCanonicalJson(mine.input);
    const others = equal.get(input);
    if (others === undefined) equal.set(input, [mine]);
    else others.push(mine);
  }
  for (const theirs of left) {
    const mine = equal.get(toCanonicalJson(theirs.example.input))?.shift();
    if (mine !== undefined) merge(mine, theirs);
    else plan.added.push(theirs.example);
  }
  return plan;
}

/** Whether nobody has changed mine since the file was written: then the file's differences are meant. */
const isUntouched = (mine: Mergeable, theirs: Mergeable) => mine.updatedAt === theirs.updatedAt;
/** A label that a teacher gave and nobody has confirmed gives way to a person's. */
const isConfirmed = ({ byTeacher, reviewed }: Mergeable) => !byTeacher || reviewed;
const hasOtherInput = <E extends Mergeable>(mine: E, { example, isMasked }: FileExample<E>) =>
  !isMasked && toCanonicalJson(mine.input) !== toCanonicalJson(example.input);

function findConflict<E extends Mergeable>(mine: E, theirs: FileExample<E>): Conflict<E> | null {
  const { line, example } = theirs;
  if (isUntouched(mine, example)) return null;
  if (hasOtherInput(mine, theirs)) return { line, mine, theirs: example, about: 'input' };
  const areLabelled = mine.decision !== null && example.decision !== null;
  const differ = areLabelled && mine.decision !== example.decision && isConfirmed(mine) === isConfirmed(example);
  return differ ? { line, mine, theirs: example, about: 'label' } : null;
}

/** Mine with what the file adds to it: its label where mine has none, or one that nobody has confirmed. */
function join<E extends Mergeable>(mine: E, theirs: FileExample<E>): E {
  const { example } = theirs;
  const isMeant = isUntouched(mine, example);
  const isTheirs =
    example.decision !== null &&
    example.decision !== mine.decision &&
    (mine.decision === null || isMeant || (isConfirmed(example) && !isConfirmed(mine)));
  const input = isMeant && hasOtherInput(mine, theirs) ? example.input : mine.input;
  const note = isMeant ? (example.note ?? mine.note) : joinNotes(mine.note, example.note);
  const untouched = pick(isMeant ? example : mine, fieldsOfUntouched);
  if (isTheirs) return { ...mine, ...takeLabel(example), ...untouched, input, note };
  const isSameLabel = mine.decision === example.decision;
  const isReviewed = isMeant ? example.reviewed : mine.reviewed || (isSameLabel && example.reviewed);
  const own = mine.reasonCodes.length > 0 && !isMeant ? mine.reasonCodes : example.reasonCodes;
  const mark = isMeant || mine.mark === null ? example.mark : mine.mark;
  return {
    ...mine,
    input,
    note,
    ...untouched,
    reviewed: isSameLabel ? isReviewed : mine.reviewed,
    reasonCodes: isSameLabel && own.length > 0 ? own : mine.reasonCodes,
    mark: isSameLabel ? mark : mine.mark,
  };
}

const takeLabel = (example: Mergeable) => pick(example, fieldsOfLabel);

/** The example as a conflict is settled; what both wrote in notes stays. */
function settle<E extends Mergeable>({ mine, theirs, about }: Conflict<E>, choice: ConflictChoice): E {
  const note = joinNotes(mine.note, theirs.note);
  if (choice === 'take') {
    const label = theirs.decision === null ? {} : takeLabel(theirs);
    return { ...mine, ...label, input: about === 'input' ? theirs.input : mine.input, note };
  }
  if (choice !== 'flag') return { ...mine, note };
  const labels = `Here: ${mine.decision ?? 'no label'}. In the file: ${theirs.decision ?? 'no label'}.`;
  const open = { decision: null, reasonCodes: [], byTeacher: false, reviewed: false };
  return { ...mine, ...(about === 'label' ? open : {}), mark: 'flagged', note: joinNotes(labels, note) };
}

function joinNotes(mine: string | null, theirs: string | null): string | null {
  if (mine === null || theirs === null) return mine ?? theirs;
  return mine.includes(theirs) ? mine : `${mine}\n${theirs}`.slice(0, maxNoteLength);
}

const isSame = (mine: Mergeable, merged: Mergeable) =>
  mine === merged || toCanonicalJson(pick(mine, mergedFields)) === toCanonicalJson(pick(merged, mergedFields));
