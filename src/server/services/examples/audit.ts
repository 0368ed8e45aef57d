/** The audit: drawn decisions become examples as they are shown, and their judgements the error of live decisions. */
import type { Foundation } from '../../foundation.ts';
import { compileLoggedInput, newExample } from '../../preparation/examples/new-example.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { addExamples } from './examples.ts';

/** Makes unlabelled examples of up to `count` drawn decisions, oldest first. Throws `validation_error` (too many). */
export function showDrawn(deps: Foundation, type: DecisionTypeRecord, count: number): void {
  if (count <= 0) return;
  const { store, clock } = deps;
  const readLogged = compileLoggedInput(deps, type);
  store.transaction(() => {
    for (const { seq, logId, input } of store.audits.listWaiting(type.seq, clock.now(), count)) {
      const shown = { input: readLogged(input), decision: null, reasonCodes: [], logId, audited: true };
      const example = newExample(deps, type, shown, clock.now());
      addExamples(deps, type, [example], ['query', 'queue']);
      store.audits.show(seq, example.id);
    }
  });
}
