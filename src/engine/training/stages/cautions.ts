/** The facts that belong to a policy's figures wherever they are quoted. */
import { leaveOut } from '../../drawn-rows.ts';
import { findOnlyGiven } from '../../features/tell-label.ts';
import { countWords, textWords } from '../../findings/columns.ts';
import { searchFields } from '../../findings/fields.ts';
import type { Finding } from '../../findings/finding.ts';
import type { JsonObject } from '../../json.ts';
import { findDifference } from '../../measure/two-samples.ts';
import type { Caution } from '../../measured.ts';
import { formatCount, formatShare } from '../../numeric.ts';
import { readField } from '../../units/hold-out.ts';
import { isLabelled } from '../data/hint-rows.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import type { Evaluated, Prepared, Run } from './state.ts';

type State = Pick<Run, 'request'> &
  Pick<Prepared, 'rows' | 'split' | 'testRows' | 'measuredRows'> &
  Pick<Evaluated, 'evaluation'>;

/** Examples in which fields are looked for that tell the label, and how many such fields are named. */
const maxSearched = 20_000;
const maxGiveaways = 2;

/** Rows on either side from which on shares are compared, and standard errors from which on they certainly differ. */
const minCompared = 20;
const certainty = 3;
/** Shares of a policy's wrong, and of its right, answers that are the labels where these are its own. */
const minTaken = 0.4;
const minShared = 0.9;
const minWrong = 10;
/** The share of examples without a label that may have a field which is known with the answer alone. */
const maxHaving = 0.1;

/** The cautions of a training: fields that give the answer away, unlike labelled rows, a policy's own answers. */
export const listCautions = (state: State): Caution[] => [
  ...findGiveaways(state),
  ...compareWithOpen(state),
  ...[findEasyLater(state), findTaken(state)].flatMap((sentence): Caution[] =>
    sentence === null ? [] : [{ kind: 'own_answers', field: null, sentence: `Accuracy not known: ${sentence}` }],
  ),
];

const isMeasuredAtRandom = ({ rule }: State['split']) => ['hash', 'drawn', 'group'].includes(rule);

/** Says that held-out rows labelled since a policy could answer are certainly easier than those before; else null. */
function findEasyLater({ split, testRows, measuredRows, evaluation }: State): string | null {
  if (testRows.length === 0 || !isMeasuredAtRandom(split)) return null;
  const outcomes = evaluation.heldOut.flatMap((row, i) =>
    row.ruled ? [] : [{ isRight: row.expected === row.predicted, answered: measuredRows[i]?.answered === true }],
  );
  const measure = (answered: boolean) => {
    const some = outcomes.filter((each) => each.answered === answered);
    return { rows: some.length, right: some.filter(({ isRight }) => isRight).length / Math.max(1, some.length) };
  };
  const [later, before] = [measure(true), measure(false)];
  if (Math.min(later.rows, before.rows) < minCompared) return null;
  const all = (later.right * later.rows + before.right * before.rows) / outcomes.length;
  const error = Math.sqrt(all * (1 - all) * (1 / later.rows + 1 / before.rows));
  if (later.right - before.right <= certainty * error) return null;
  return `of the ${later.rows} held-out examples labelled since the first policy ${formatShare(later.right)} are right, of the ${before.rows} before only ${formatShare(before.right)}. These labels may be answers of a policy: remove them, or mark test rows that a person labelled.`;
}

/** Says that labels are what a policy of another type answered, also where it was wrong; null where they are not. */
function findTaken({ request, rows, split }: State): string | null {
  if (!isMeasuredAtRandom(split)) return null;
  const { elsewhere = [] } = request;
  if (elsewhere.length === 0) return null;
  const labels = new Map(rows.map((row) => [row.inputHash, row.decision]));
  for (const { policy, answers } of elsewhere) {
    const shared = answers.flatMap((answer) => {
      const label = labels.get(answer.inputHash);
      return label === undefined
        ? []
        : [{ isRight: answer.expected === answer.predicted, isTaken: label === answer.predicted }];
    });
    const wrong = shared.filter(({ isRight }) => !isRight);
    const taken = wrong.filter(({ isTaken }) => isTaken).length;
    const right = shared.filter(({ isRight }) => isRight);
    const agreed = right.filter(({ isTaken }) => isTaken).length;
    if (wrong.length < minWrong || taken < minTaken * wrong.length || agreed < minShared * right.length) continue;
    return `of ${wrong.length} examples that ${policy} answered wrongly, ${taken} have this answer as their label. Labels may be answers of that policy: correct them, or mark test rows that a person labelled.`;
  }
  return null;
}

/** Says that the measured rows came from others than those without a label, where that is certain. */
function compareWithOpen({ request, rows, split }: State): Caution[] {
  const { openInputs = [], identifying = [] } = request;
  if (split.rule === 'drawn' || openInputs.length === 0) return [];
  const ofUser = rows.filter((row) => row.source === 'user' && isLabelled(row));
  const read = (some: readonly LabelledRow[]): JsonObject[] => some.map(({ content }) => JSON.parse(content));
  // Rows that were chosen to be labelled since belong to those that came without.
  const byCome = Map.groupBy(ofUser, ({ later }) => later === true);
  const open = openInputs.map((input) => leaveOut(input, identifying));
  const area = findDifference(read(byCome.get(false) ?? []), [...read(byCome.get(true) ?? []), ...open]);
  if (area === null) return [];
  const sentence = `Examples that came with their label differ from those that came without (a classifier tells ${formatShare(area)} of such pairs apart): for these the figure may be another one.`;
  return [{ kind: 'labelled_differ', field: null, sentence }];
}

/** Fields that alone tell nearly every label; one that rows without labels lack is known with the answer. */
function findGiveaways({ request, rows }: State): Caution[] {
  const { openInputs: open = [] } = request;
  const search = searchFields(request.definition.options, request.piiFields ?? [], null);
  for (const { id, input, decision } of rows.filter(isLabelled).slice(0, maxSearched)) {
    search.add({ id, input, decision, heldOut: false, reviewedAt: null });
  }
  const found = search.finish().filter(({ kind }) => kind === 'leak');
  const isAsked = compileAsked(request, rows);
  return found.slice(0, maxGiveaways).map((finding): Caution => {
    const { message, field } = finding;
    const having = open.filter((input) => readField(input, field ?? '') !== null).length;
    if (open.length < minCompared || having > maxHaving * open.length)
      return isAsked(finding)
        ? { kind: 'known_when', field, sentence: message }
        : { kind: 'gives_answer', field: null, sentence: message };
    const have = `${formatCount(having)} of ${formatCount(open.length)} examples without a label have it`;
    const sentence = `Accuracy not known: field ${JSON.stringify(field)} alone gives the label, and ${have}. Leave it out.`;
    return { kind: 'known_late', field: null, sentence };
  });
}

/**
 * Prepares telling fields of which a person says whether they are known before the decision: a limit of a number is
 * what a rule would say, and texts name their answer as people write.
 */
function compileAsked({ definition }: State['request'], rows: State['rows']) {
  const labelled = rows.filter(isLabelled);
  const labels = labelled.map(({ decision }) => definition.options.indexOf(decision));
  return ({ field, severity, score }: Finding): boolean => {
    const values = labelled.map(({ input }) => readField(input, field ?? ''));
    const given = values.map((value) => value !== null);
    const words = values.filter((value) => typeof value === 'string').map(countWords);
    const isText = words.reduce((sum, count) => sum + count, 0) >= textWords * Math.max(1, words.length);
    const isWord = severity !== 'error' && !isText && !values.some((value) => typeof value === 'number');
    return (isWord && score === 1) || findOnlyGiven(given, labels) !== null;
  };
}
