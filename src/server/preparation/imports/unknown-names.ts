/** Labels and reason codes of a file that its type does not have. */
import { toInvalidValue } from '../../../door/errors/validation-error.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';
import type { PlannedExample } from '../../../engine/import/row-reader.ts';
import { countOf } from '../../../engine/numeric.ts';
import type { ImportPlan } from '../../contract/examples/import-plan.ts';
import type { ExampleType } from '../examples/prepare-examples.ts';

type Unknown = NonNullable<ImportPlan['merge']>['unknown_decisions'][number];

const maxListed = 100;

/** Collects the labels and reason codes of examples that a type does not have. */
export function collectUnknown({ options, reason_codes }: Pick<ExampleType['definition'], 'options' | 'reason_codes'>) {
  const known = { decision: new Set(options), code: new Set(reason_codes) };
  const found = { decision: new Map<string, Unknown>(), code: new Map<string, Unknown>() };
  const note = (kind: keyof typeof found, value: string, line: number) => {
    if (known[kind].has(value)) return;
    const entry = found[kind].get(value) ?? { value, count: 0, line };
    entry.count += 1;
    found[kind].set(value, entry);
  };
  const toProblem =
    (column: string, what: string) =>
    ({ value, count, line }: Unknown) => {
      const rows = count > 1 ? ` (${countOf(count, 'row')})` : '';
      return toInvalidValue(
        ['body', 'content', line, column],
        `line ${line}: "${value.slice(0, 80)}" is not ${what}${rows}`,
      );
    };
  return {
    add({ line, decision, second = null, reasonCodes }: Omit<PlannedExample, 'input'>): void {
      for (const label of new Set([decision, second])) if (label !== null) note('decision', label, line);
      for (const code of reasonCodes) note('code', code, line);
    },
    listDecisions: () => [...found.decision.values()].slice(0, maxListed),
    listProblems: (columns: { decision: string | null; reasons: string | null }): ErrorDetail[] => [
      ...[...found.decision.values()].map(toProblem(columns.decision ?? 'decision', 'an option')),
      ...[...found.code.values()].map(toProblem(columns.reasons ?? 'reason_codes', 'a reason code')),
    ],
  };
}
