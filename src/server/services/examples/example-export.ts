/** Examples as a file: a stream that is read while it is written, so that others have their turns. */

import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { createTurns, nextTurn } from '../../../door/turns.ts';
import { pick } from '../../../engine/domain/records.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { setFlags } from '../../../engine/examples/fields.ts';
import {
  ExampleTablePlan,
  type ExportedExample,
  type ExportedReading,
} from '../../../engine/export/example-columns.ts';
import { type ExampleFormat, isTableFormat, labellingPage } from '../../../engine/export/file-kinds.ts';
import { writeRecords, writeTable } from '../../../engine/export/formats.ts';
import { onePiece, type Pieces } from '../../../engine/export/pieces.ts';
import type { ReadingRow } from '../../../engine/export/read-back.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { formatCount } from '../../../engine/numeric.ts';
import { redactPii } from '../../../engine/pii.ts';
import { fillLabellingPage, maxLabelledByPage } from '../../../engine/report/labelling-page.ts';
import type { ExampleFilter, TrainedExamples } from '../../contract/examples/examples.ts';
import type { Foundation } from '../../foundation.ts';
import { exportSliceSize } from '../../hot-path/export-slice-size.ts';
import { toExample } from '../../preparation/examples/example-wire.ts';
import { isoTime, isoTimeOrNull } from '../../process/clock.ts';
import type { ExportRow } from '../../store/examples/example-exports.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { readBuiltPage } from '../built-pages.ts';

/** Which examples leave, and how: of a policy with labels of then; tokens for personal values by default. */
type ExportOrder = { format: ExampleFormat; filter: ExampleFilter; withPersonal: boolean; policyId: string | null };

/** Characters that a cell of Excel holds; of more it would show a repaired file. */
const maxWorkbookCell = 32_767;

/** The file of a type's examples, piece by piece, oldest first. Rejects with `validation_error` (too long). */
export async function exportExamples(deps: Foundation, type: DecisionTypeRecord, order: ExportOrder): Promise<Pieces> {
  const { format } = order;
  const { exampleExports, policies, trainingRuns } = deps.store;
  const end = exampleExports.findEnd(type.id);
  const trainedBy = order.policyId === null ? null : findTrained(deps, type, order.policyId);
  const newest = policies.findNewestTrained(type.id);
  const policy = trainedBy ?? (newest === null ? null : policies.byId(newest));
  const selection = { filter: order.filter, trainedAt: trainedBy?.createdAt ?? null };
  const searchId = trainingRuns.labelChecks.findNewest(type.id)?.id ?? '';
  const slices = exampleExports.readRows(
    type.id,
    selection,
    { policyId: policy?.id ?? '', searchId },
    end,
    exportSliceSize,
  );
  if (format === labellingPage) return writeLabellingPage(deps, type, slices);
  const show = (input: JsonObject) =>
    order.withPersonal || type.piiFields.length === 0 ? input : deps.auth.redact(input, type.piiFields);
  const examples = takeTurns(deps, slices, (row) => toExported(row, policy, show, trainedBy !== null));
  if (!isTableFormat(format)) return writeRecords(format, type.activeVersion.definition.options, examples);
  const plan = new ExampleTablePlan();
  const inputs = exampleExports.readInputs(type.id, selection, end, exportSliceSize);
  for await (const input of takeTurns(deps, inputs, (json) => show(JSON.parse(json)))) plan.see(input);
  if (format === 'xlsx' && plan.longest > maxWorkbookCell) {
    const msg = `a value has ${formatCount(plan.longest)} characters, and a cell of Excel holds ${formatCount(maxWorkbookCell)}; export csv, parquet or jsonl`;
    throw toValidationError([toInvalidValue(['query', 'format'], msg)]);
  }
  return writeTable(format, type.name, plan.finish(), examples);
}

/** The page of the examples, with which somebody labels them elsewhere. Rejects with `validation_error` (too many). */
async function writeLabellingPage(
  { options, newId }: Foundation,
  type: DecisionTypeRecord,
  slices: Iterable<readonly ExportRow[]>,
): Promise<Pieces> {
  const rows: { id: string; input: JsonObject }[] = [];
  for (const slice of slices) {
    rows.push(...slice.map(({ id, input }) => ({ id, input: redactPii(input, type.piiFields, () => null) })));
    if (rows.length > maxLabelledByPage) {
      const msg = `a labelling page holds ${maxLabelledByPage} examples at most; filter them`;
      throw toValidationError([toInvalidValue(['query', 'format'], msg)]);
    }
  }
  const page = await readBuiltPage(options, 'labelling.html', 'labels');
  const { name, description: guideline } = type;
  const batch = { id: newId(), name, guideline, options: type.activeVersion.definition.options, rows };
  return onePiece(fillLabellingPage(page, batch));
}

/** The policy of a type, which a training here made of examples; throws `not_found` or `conflict`. */
function findTrained({ store }: Foundation, type: DecisionTypeRecord, policyId: string): PolicyRecord {
  const policy = store.policies.byId(policyId);
  if (policy === null || policy.decisionTypeId !== type.id) {
    throw new WorkbenchError('not_found', 'The policy does not exist.');
  }
  if (policy.snapshotSize === 0 || policy.bundleSha256 === null) {
    throw new WorkbenchError('conflict', `Policy v${policy.version} was not trained from examples of this type.`);
  }
  return policy;
}

/** Says which examples a policy was trained from, and how many changed since. Throws `not_found` or `conflict`. */
export function describeTrained(deps: Foundation, type: DecisionTypeRecord, policyId: string): TrainedExamples {
  const {
    version,
    snapshotSize: given,
    snapshotSha256: snapshot_sha256,
    createdAt,
  } = findTrained(deps, type, policyId);
  const { left, changed } = deps.store.exampleExports.countTrained(type.id, createdAt);
  const gone = given - left;
  const losses = [
    ...(changed > 0 ? [`Changed since: ${formatCount(changed)}, whose labels in the file are those of then.`] : []),
    ...(gone > 0 ? [`Deleted since: ${formatCount(gone)}.`] : []),
  ];
  const state = losses.length === 0 ? 'All are as they were.' : losses.join(' ');
  const sentence = `Policy v${version} was trained from ${formatCount(given)} examples. ${state}`;
  return { examples: given, left, changed, is_exact: losses.length === 0, snapshot_sha256, sentence };
}

/** Yields the rows of all slices one by one; others have their turn at least after each slice. */
async function* takeTurns<Row, Made>(
  deps: Foundation,
  slices: Iterable<readonly Row[]>,
  make: (row: Row) => Made,
): AsyncGenerator<Made> {
  const takeTurn = createTurns(deps.clock);
  for (const slice of slices) {
    for (const row of slice) {
      yield make(row);
      // An input of a megabyte takes milliseconds.
      await takeTurn();
    }
    await nextTurn();
  }
}

function toExported(
  row: ExportRow,
  policy: PolicyRecord | null,
  show: (input: JsonObject) => JsonObject,
  isTrainedFrom: boolean,
): ExportedExample {
  const { id, reason_codes, note, source, labelled_by, created_at, updated_at, ...example } = toExample(row);
  const hasLearned = policy !== null && row.decision !== null && (isTrainedFrom || row.updatedAt <= policy.createdAt);
  const side = row.test ? 'test' : row.isHeldOut ? 'held_out' : hasLearned && !row.must ? 'learned' : null;
  return {
    id,
    input_payload: show(row.input),
    expected_decision: example.expected_decision,
    reason_codes,
    status: example.status,
    note,
    ...pick(example, setFlags),
    source,
    labelled_by,
    first_decision: example.first_decision,
    reader: row.reader,
    labelled_at: isoTimeOrNull(row.labelledAt),
    second_reading: row.secondReading === null ? null : toExportedReading(JSON.parse(row.secondReading)),
    created_at,
    updated_at,
    suggestion: row.suggestion,
    suggestion_probability: row.suggestionProbability,
    side,
    policy: side === 'held_out' || side === 'learned' ? `v${policy?.version}` : null,
  };
}

const toExportedReading = (reading: ReadingRow): ExportedReading => ({
  ...reading,
  first_at: isoTime(reading.first_at),
  read_at: isoTime(reading.read_at),
  settled_at: isoTimeOrNull(reading.settled_at),
});
