/** Rows without a label to which hints give a weak one: they are learned from, and decide and measure nothing. */
import type { Definition } from '../../domain/definition.ts';
import type { Metrics } from '../../domain/metrics.ts';
import type { RowSource } from '../../domain/training.ts';
import type { JsonObject } from '../../json.ts';
import { countOf, formatCount } from '../../numeric.ts';
import { compileReadings } from '../../readings/readings.ts';
import { compileHints } from '../../rules/compile.ts';

/** How much a hinted row counts beside one with a label. */
const hintWeight = 0.3;
/** More rows of the same few conditions teach no more, and cost every fit. */
export const maxHintedRows = 3_000;

type Sourced = { source: RowSource };
type HintDefinition = Pick<Definition, 'hard_rules' | 'options' | 'reason_codes' | 'lists' | 'readings'>;

/** Whether a row has its label from a hint. */
export const isHinted = ({ source }: Sourced): boolean => source === 'hint';
/** Whether a row has a label of its own. */
export const isLabelled = (row: Sourced): boolean => !isHinted(row);

/** How much each row counts in a fit; undefined where all count alike. */
export function listWeights(rows: readonly Sourced[]): Float64Array | undefined {
  if (!rows.some(isHinted)) return undefined;
  return Float64Array.from(rows, (row) => (isHinted(row) ? hintWeight : 1));
}

/** Prepares giving a stored input the option of the hints that hold for it; null without any, or where they differ. */
export function compileHintReader(definition: HintDefinition): (input: JsonObject) => string | null {
  const hints = compileHints(definition.hard_rules, definition);
  const options = hints.file.rules.map((rule) => rule.then);
  const read = compileReadings(definition.readings);
  return (stored) => {
    const said = new Set(
      hints.evaluateEach(read(stored).input).flatMap((holds, i) => (holds === true ? (options[i] ?? []) : [])),
    );
    const [option = null] = said;
    return said.size === 1 ? option : null;
  };
}

/** Names each hint with the rows that it alone taught: without them a draft shows what it adds. */
export function listTaughtAlone<Row extends { input: JsonObject }>(
  definition: HintDefinition,
  rows: readonly Row[],
): { name: string; rows: Row[] }[] {
  const hints = compileHints(definition.hard_rules, definition);
  const each: { name: string; rows: Row[] }[] = hints.file.rules.map(({ name }) => ({ name, rows: [] }));
  for (const row of rows) {
    const holding = hints.evaluateEach(row.input).flatMap((holds, i) => (holds === true ? [i] : []));
    const [only = -1] = holding;
    if (holding.length === 1) each[only]?.rows.push(row);
  }
  return each;
}

/** How many of the measured rows a model has right that also learned from hints, and one without all or one of them. */
type HintTrial = Omit<NonNullable<Metrics['hints']>, 'rows' | 'sentence'>;
const untried: HintTrial = { measured: 0, right: 0, right_without: 0, each: [] };

/** Says how many rows hints taught, and what that brought, or null. */
export function describeHints(rows: number, trial: HintTrial = untried): Metrics['hints'] {
  if (rows === 0) return null;
  const { measured, right, right_without, each } = trial;
  const taught = `Hints taught ${countOf(rows, 'row')} without a label.`;
  const gain = ` Of ${formatCount(measured)} measured rows ${formatCount(right)} are right with them and ${formatCount(right_without)} without.`;
  const without = each.map((hint) => `${formatCount(hint.right_without)} without “${hint.name}”`).join(', ');
  const apart = each.length > 1 ? ` Of the same rows are right: ${without}.` : '';
  return { rows, ...trial, sentence: measured === 0 ? taught : `${taught}${gain}${apart}` };
}
