/** Corrections of logged decisions, each of which becomes an example; and the return of those removed for their age. */

import { refuseProblems } from '../../../door/errors/validation-error.ts';
import { nextTurn } from '../../../door/turns.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Foundation } from '../../foundation.ts';
import { compileLoggedInput, listLabelProblems, newExample } from '../../preparation/examples/new-example.ts';
import type { LoggedDecision } from '../../store/deciding/logs.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { addExamples } from '../examples/examples.ts';

/**
 * Notes beside a log record what the decision should have been and makes a reviewed example of it, or changes the one
 * that an earlier correction made. Throws `validation_error` for unknown labels, `not_found` for an unknown record.
 */
export function correctDecision(
  deps: Foundation,
  type: DecisionTypeRecord,
  logId: string,
  labels: { decision: string; reasonCodes: string[] },
  reader: string | null,
): LoggedDecision {
  refuseProblems(
    listLabelProblems(type.activeVersion.definition, labels, {
      decision: ['body', 'decision'],
      reasonCode: (index) => ['body', 'reason_codes', index],
    }),
  );
  const { examples, labelHistory, logs } = deps.store;
  return deps.store.transaction(() => {
    const logged = findLogged(deps, type, logId);
    logs.correct(logged.seq, labels.decision);
    const now = deps.clock.now();
    const earlier = examples.getByLog(logged.id);
    if (earlier !== null) {
      const given = { ...earlier, ...labels, reviewed: true, mark: null, byTeacher: false, updatedAt: now };
      labelHistory.by({ reader }, 'label', () => examples.update(given));
    } else {
      const input = compileLoggedInput(deps, type)(logged.input);
      const example = { ...labels, input, reviewed: true, logId: logged.id };
      const made = newExample(deps, type, example, now);
      addExamples(deps, type, [made], ['path', 'log_id']);
      labelHistory.add(made.id, { kind: 'label', before: null, decision: labels.decision, reader, note: null }, now);
    }
    return { ...logged, correctedDecision: labels.decision };
  });
}

/** Takes a correction back, with the example that it made; throws `not_found` for an unknown record. */
export function withdrawCorrection(deps: Foundation, type: DecisionTypeRecord, logId: string): LoggedDecision {
  return deps.store.transaction(() => {
    const logged = findLogged(deps, type, logId);
    const example = deps.store.examples.getByLog(logged.id);
    if (example?.audited) deps.store.examples.update({ ...example, decision: null, reviewed: false });
    else if (example !== null) deps.store.examples.remove(type.id, example.id);
    deps.store.logs.correct(logged.seq, null);
    return { ...logged, correctedDecision: null };
  });
}

/** A log record of a type; throws `not_found`. */
export function findLogged({ store }: Foundation, type: DecisionTypeRecord, logId: string): LoggedDecision {
  const logged = store.logs.get(type.seq, logId);
  if (logged === null) throw new WorkbenchError('not_found', 'The log record does not exist.');
  return logged;
}

/** Brings back the records of a type that retention removed and that are not deleted yet; returns how many. */
export async function restoreRemoved({ store }: Foundation, type: DecisionTypeRecord): Promise<number> {
  let restored = 0;
  for (const some of store.logs.restore(type.seq)) {
    restored += some;
    await nextTurn();
  }
  return restored;
}
