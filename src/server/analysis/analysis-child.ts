/** Entry of a process that looks at all examples of a type, so that nobody waits for it. */
import { nextTurn } from '../../door/turns.ts';
import type { TrainingExample } from '../../engine/domain/training.ts';
import {
  compareFamiliarity,
  compareLanguages,
  compareWeeks,
  type DriftReport,
  findDrift,
} from '../../engine/findings/drift.ts';
import { describeSuspects } from '../../engine/findings/labels.ts';
import { compileJudge, type DataFindings, startDataSearch } from '../../engine/findings/search-data.ts';
import { findWeakSlices, type JudgedRow, type SliceReport } from '../../engine/findings/slices.ts';
import { blankMasks } from '../../engine/pii.ts';
import { loadRules } from '../../engine/rules/rules-file.ts';
import type { LabelSearch } from '../../engine/training/evaluate/label-checks.ts';
import { serveOrders } from '../process/orders.ts';
import { openTextModel } from '../runtime/encoder/text-model.ts';
import { openLanguageDetector } from '../runtime/language-detector.ts';
import { type ExampleReader, openExampleReader } from '../store/examples/example-reader.ts';
import type { DriftOrder, FindingsOrder, LabelsOrder, LookOrder, SlicesOrder } from './orders.ts';

/** Lower priority than the server and its encoder: all work here can wait. */
const niceness = 10;
/** The work after the last row takes about as long as the rows themselves. */
const readingShare = 0.8;
const weekMs = 7 * 86_400_000;
const maxCompared = { examples: 5_000, decisions: 1_000 };

type Report = (share: number) => void;

const orders = {
  findings: look(findProblems),
  slices: look(findSlices),
  drift: look(compareInputs),
  labels: look(checkAllLabels),
};
export type AnalysisOrders = typeof orders;

serveOrders(orders, niceness);

function look<Order extends LookOrder, Found>(
  search: (reader: ExampleReader, order: Order, report: Report) => Promise<Found>,
) {
  return async (order: Order, report: Report): Promise<Found> => {
    const reader = openExampleReader(order.databaseFile, order.readings);
    try {
      return await search(reader, order, report);
    } finally {
      reader.close();
    }
  };
}

async function findProblems(reader: ExampleReader, order: FindingsOrder, report: Report): Promise<DataFindings> {
  const { typeId, policyId, search: found, saved } = order;
  const total = Math.max(1, reader.count(typeId));
  const search = startDataSearch(saved, order.piiFields, await openLanguageDetector());
  let read = 0;
  for (const rows of reader.readExamples(typeId, policyId)) {
    for (const row of rows) search.add(row);
    read += rows.length;
    report(Math.min(readingShare, (readingShare * read) / total));
    // A parent that is gone is noticed between two turns.
    await nextTurn();
  }
  return search.finish(found === null ? [] : describeSuspects(reader.readSuspects(typeId, found, saved.options)));
}

async function findSlices(reader: ExampleReader, order: SlicesOrder, report: Report): Promise<SliceReport> {
  const { typeId, policyId, policyVersion, rows, judged, leavesRuled, settings, minRows, piiFields } = order;
  const judge = compileJudge({ ...settings, rules: loadRules(settings.rules) }, judged, leavesRuled);
  const found: JudgedRow[] = [];
  for (const some of rows === 'corrected' ? [] : reader.readHeldOut(policyId)) {
    const known = some.map((row) => ({ ...row, ...blankMasks(row.input, piiFields) }));
    found.push(...known.map(judge).filter((row) => row !== null));
    await nextTurn();
  }
  for (const some of rows === 'held_out' ? [] : reader.readCorrected(typeId, policyVersion)) {
    // As it was decided then: the log does not keep the classifier's own answer.
    for (const row of some)
      found.push(judged === 'classifier' ? row : { ...row, isWrong: row.isWrong && !row.isEscalated });
    await nextTurn();
  }
  report(readingShare);
  return findWeakSlices(found, { minRows, piiFields, detectLanguage: await openLanguageDetector() });
}

async function checkAllLabels(reader: ExampleReader, order: LabelsOrder): Promise<LabelSearch> {
  const { typeId, resourcesDir, encodingsDir } = order;
  const examples: TrainingExample[] = [];
  for (const rows of reader.readExamples(typeId, null)) {
    for (const { id, input, decision } of rows)
      if (decision !== null) examples.push({ id, input, decision, reasonCodes: [], source: 'user' });
    await nextTurn();
  }
  const model = openTextModel(resourcesDir);
  const { searchLabels } = await import('../../engine/training/search-labels.ts');
  const { checks, expectedWrong } = await searchLabels(examples, order, {
    tokenizer: model.tokenizer(),
    openEncoder: async () => {
      const [{ openEncoder }, { withEncodingCache }] = await Promise.all([
        import('../runtime/encoder/onnx-session.ts'),
        import('../runtime/encoder/encoding-cache.ts'),
      ]);
      return withEncodingCache(await openEncoder(model.encoderPath, model.encoderSha256), encodingsDir, Date.now());
    },
  });
  return { checks: checks.filter(({ suspect }) => suspect), expectedWrong };
}

async function compareInputs(
  reader: ExampleReader,
  { typeId, typeSeq, piiFields, familiarity, nowMs }: DriftOrder,
): Promise<DriftReport> {
  const examples = reader.readNewestInputs(typeId, maxCompared.examples);
  const decisions = reader.readDecided(typeSeq, maxCompared.decisions);
  const checked = decisions.filter((each) => !each.isRuled && each.policyVersion === familiarity?.policyVersion);
  const unfamiliar = checked.filter((each) => each.unfamiliar).length;
  const detect = await openLanguageDetector();
  const [thisWeek, lastWeek] = [1, 2].map((weeks) =>
    reader.readDecidedIn(
      typeSeq,
      { from: nowMs - weeks * weekMs, before: nowMs - (weeks - 1) * weekMs },
      maxCompared.decisions,
    ),
  );
  return {
    weeks: compareWeeks(lastWeek ?? [], thisWeek ?? [], piiFields, detect),
    ...findDrift(examples, decisions, piiFields, detect),
    languages: compareLanguages(examples, decisions, piiFields, detect),
    unfamiliar: familiarity && compareFamiliarity(unfamiliar, checked.length, familiarity.expected),
  };
}
