/** Second readings: labels given blind beside the first ones, and conflicts until one person has decided. */

import { toUnknownOption, toValidationError } from '../../../door/errors/validation-error.ts';
import { mapMaybePromise } from '../../../door/maybe-promise.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import type { Foundation } from '../../foundation.ts';
import { ownAgainMs, type SecondReading } from '../../store/examples/label-history.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import type { ExampleAdditions } from './example-additions.ts';

type Drawn = { drawn: number; waiting: number; undo_token: string };
type DrawDeps = Foundation & { exampleAdditions: Pick<ExampleAdditions, 'change'> };

/**
 * Chooses labelled examples to be read again: those of the ids, or until a share of all labelled ones is. Undone by
 * token as far as they are not read yet.
 */
export function drawSecondReadings(
  deps: DrawDeps,
  { id: typeId }: DecisionTypeRecord,
  { share = 0, ids }: { share?: number | undefined; ids?: readonly string[] | undefined },
): Drawn | Promise<Drawn> {
  const { exampleChanges, examples, labelHistory } = deps.store;
  const undoToken = deps.newId();
  const begin = () => {
    const plan = { draw: ids === undefined ? { share, labelled: 0, drawn: 0 } : { ids } };
    exampleChanges.begin({ token: undoToken, typeId, at: deps.clock.now(), plan, option: null });
  };
  const parts = exampleChanges.countParts(typeId, ids?.length ?? examples.count(typeId));
  const cancelling = { scope: 'label', turnBack: () => exampleChanges.turnBack(undoToken, null) } as const;
  const drawing = deps.exampleAdditions.change(typeId, parts, { begin, cancelling });
  return mapMaybePromise(drawing, ({ affected }) => {
    return { drawn: affected, waiting: labelHistory.count(typeId).waiting, undo_token: undoToken };
  });
}

/**
 * Keeps a second reading of an example beside its label, or takes it back (null); the same label confirms it. Returns
 * the example as its reader sees it. Throws `not_found`, `validation_error` (no option), or `conflict` where the
 * example does not wait for a reading of this reader.
 */
export function giveSecondReading(
  deps: Foundation,
  type: DecisionTypeRecord,
  exampleId: string,
  given: { expected_decision: string | null; reader: string | null; note: string | null },
): ExampleRecord {
  const { expected_decision: decision } = given;
  const { options } = type.activeVersion.definition;
  if (decision !== null && !options.includes(decision)) {
    throw toValidationError([toUnknownOption(['body', 'expected_decision'], options)]);
  }
  const read = deps.store.transaction(() => {
    const example = deps.store.examples.get(type.id, exampleId);
    if (example === null) throw new WorkbenchError('not_found', 'The example does not exist.');
    keepReading(deps, example, { ...given, decision });
    return hideLabel(example, decision);
  });
  // A conflict can be settled before the row would be free again.
  if (decision !== null) deps.runtime.leases.settle(type.id, exampleId, decision);
  return read;
}

function keepReading(
  { store, clock }: Foundation,
  example: ExampleRecord,
  { decision, reader, note }: { decision: string | null; reader: string | null; note: string | null },
): void {
  const known = store.labelHistory.find(example.id);
  const now = clock.now();
  if (known === null || example.decision === null || known.settledAt !== null) {
    throw new WorkbenchError('conflict', 'This example does not wait for a second reading. Open the queue again.');
  }
  if (known.decision !== null && known.reader !== reader) {
    throw new WorkbenchError('conflict', 'Somebody else has read this example meanwhile. Open the queue again.');
  }
  if (known.firstReader !== null && known.firstReader === reader && now - known.firstAt < ownAgainMs) {
    throw new WorkbenchError('conflict', 'The reader who gave the first label can read it again after a week.');
  }
  if (known.decision === decision) return;
  if (known.shownAt !== null) {
    throw new WorkbenchError(
      'conflict',
      'Both labels were shown, so this one stays as it is. One person settles them in the queue Conflicts.',
    );
  }
  const given = decision === null ? { reader: null, note: null, readAt: null } : { reader, note, readAt: now };
  store.labelHistory.write({ ...known, firstDecision: example.decision, decision, ...given });
  const entry = { kind: 'second_reading', before: known.decision, decision, reader, note } as const;
  store.labelHistory.add(example.id, entry, now);
  if (decision === example.decision) store.examples.update({ ...example, reviewed: true });
}

/** The two labels of an example that differ and are not settled, or null. */
export function findConflict({ store }: Pick<Foundation, 'store'>, example: ExampleRecord): SecondReading | null {
  const reading = store.labelHistory.find(example.id);
  const isOpen = reading?.decision != null && reading.settledAt === null && example.decision !== null;
  return isOpen && reading.decision !== example.decision ? reading : null;
}

/** Names the two labels of an example with their readers and notes. */
export function describeConflict({ store }: Pick<Foundation, 'store'>, example: ExampleRecord): string {
  const reading = store.labelHistory.find(example.id);
  if (reading === null) return 'Two readers differ.';
  const say = (reader: string | null, decision: string | null, note: string | null) =>
    `${reader ?? 'The first reader'} said «${decision ?? ''}»${note ? ` (${note})` : ''}`;
  const first = say(reading.firstReader, example.decision, example.note);
  return `${first}, ${say(reading.reader, reading.decision, reading.note)}. Your label settles it.`;
}

/** Whether an example waits for a label that is given without sight of the first one. */
export function isReadBlind({ store }: Pick<Foundation, 'store'>, exampleId: string): boolean {
  const reading = store.labelHistory.find(exampleId);
  return reading !== null && reading.decision === null && reading.settledAt === null;
}

/** An example as its second reader sees it: with the label that they gave, nothing of the first one. */
export function hideLabel(example: ExampleRecord, decision: string | null): ExampleRecord {
  return { ...example, decision, firstDecision: null, reasonCodes: [], reviewed: false, note: null, byTeacher: false };
}
