/** Finds the column that is the answer, and the consequences. */
import { limits } from '../limits.ts';
import type { ColumnSurvey } from './survey.ts';

/** Names by which a column of labels, or of reason codes, is known; the most certain first. */
const decisionNames: readonly string[] = [
  'expected_decision',
  'decision',
  'label',
  'labels',
  'class',
  'target',
  'outcome',
  'category',
  'verdict',
];
const codeNames: readonly string[] = ['reason_codes', 'reason_code', 'reasons'];
/** A service desk calls the answer so; beside a column that is called an answer it holds reason codes. */
const reasonName = 'reason';
/** Words for a result in the usual languages, as a part of a column's name. */
const resultWord =
  /(?:^|[^\p{L}])(?:answer|result|status|state|approved|reason|category|class|label|outcome|team|queue|topic|department|intent|disposition|resolution|ergebnis|grund|abteilung|entscheidung|ausgang|klasse|kategorie|thema|zustand|antwort|warteschlange|motif|motivo|r[eé]sultat|d[eé]cision|classe|cat[eé]gorie|statut|r[eé]ponse|resultado|decisi[oó]n|clase|categor[ií]a|etiqueta|estado|respuesta|risultato|esito|decisione|categoria|etichetta|stato|risposta)(?![\p{L}])/iu;

/** Names of an object that holds a verdict: all in it was written with that. */
const verdictWord = /(?:^|[^\p{L}])(?:qa|feedback|rating|review|evaluation|annotation|judge?ment|assessment)s?$/iu;

/** A column of labels repeats its values: this many rows a value, on average. */
const minRowsPerValue = 2;
const maxLabelLength = 60;

/** A column that could be the answer, and the evidence for it in words. */
type Candidate = { column: string; why: string };
/** Where several are answers by their names, each could be learned by a decision type of its own. */
export type Answers = { candidates: Candidate[]; isCertain: boolean; areSeveral: boolean };

/** A text without case and separators, for comparing labels. */
export const toKey = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');

/** A list of one text, or of none, as JSON and Python write it into a cell. */
const listOfOne = /^[[({]\s*(?:"([^"\\]*)"|'([^'\\]*)')?\s*,?\s*[\])}]$/;

/** The text of a list of one as a cell holds it, '' of an empty one; any other text as it is. */
export function unwrapList(written: string): string {
  const [, quoted, other] = listOfOne.exec(written) ?? [null, written];
  return quoted ?? other ?? '';
}

const toField = (column: string) => column.slice(column.lastIndexOf('.') + 1);

/** The column of one of the names, else the field of an object that is called so. */
function findNamed(columns: readonly string[], wanted: readonly string[]): string | null {
  for (const toName of [(column: string) => column, toField])
    for (const name of wanted) {
      const found = columns.find((column) => toName(column).toLowerCase() === name);
      if (found !== undefined) return found;
    }
  return null;
}

/** The column that is called an answer. */
export const findNamedAnswer = (columns: readonly string[]) => findNamed(columns, decisionNames);
/** The column that is called an answer, unless others hold the options and it does not; undefined for none. */
export function findCalledAnswer(columns: readonly string[], { candidates }: Answers): string | undefined {
  const called = findNamedAnswer(columns) ?? undefined;
  return candidates.length === 0 || candidates.some(({ column }) => column === called) ? called : undefined;
}

/** The column whose name says that it holds reason codes, or null. */
export function findReasonColumn(columns: readonly string[]): string | null {
  return findNamed(columns, findNamedAnswer(columns) === null ? codeNames : [...codeNames, reasonName]);
}

/** Says what speaks for a column as the answer; null where it cannot be. */
function weighAnswer(survey: ColumnSurvey, isLast: boolean, options: readonly string[]) {
  const { name, uses, filled, kind } = survey;
  const isDate = kind.startsWith('date') || survey.choices.length > 0;
  if (uses === null || filled === 0 || isDate || findNamed([name], codeNames) !== null) return null;
  const labels = [...uses];
  const isNamed = findNamedAnswer([name]) !== null;
  const maxLength = isNamed ? limits.maxNameLength : maxLabelLength;
  if (labels.some(([label]) => label.length > maxLength)) return null;
  const known = new Set(options.map(toKey));
  const fitting = labels
    .filter(([label]) => known.has(toKey(unwrapList(label))))
    .reduce((sum, [, count]) => sum + count, 0);
  const holdsOptions = fitting / filled > 0.5;
  const isResult = isNamed || resultWord.test(name);
  const areTexts = kind === 'text' || kind === 'yes_no' || survey.type === 'string';
  const facts = [
    holdsOptions ? 'holds the options' : '',
    isLast ? 'last column' : '',
    isResult ? 'named like a result' : '',
    `${labels.length} different ${labels.length === 1 ? 'value' : 'values'}`,
  ];
  return {
    // The name counts most; otherwise answers tend to be last, textual and few.
    score: (isResult ? 4 : 0) + (isLast ? 2 : 0) + (areTexts ? 1 : 0) + 1 / (labels.length + 1),
    candidate: { column: name, why: facts.filter((fact) => fact !== '').join(', ') },
    holdsOptions,
    isNamed,
    repeats: labels.length >= limits.minOptions && filled / labels.length >= minRowsPerValue,
  };
}

/** The columns that could be the answer by their values, likeliest first; certain only where one alone could. */
export function findAnswers(surveys: readonly ColumnSurvey[], options: readonly string[]): Answers {
  const most = Math.max(...surveys.map(({ filled }) => filled));
  // A last column that is mostly empty says more of some answers, as a reason does.
  const isAnswerLast = (at: number) => at === surveys.length - 1 && 2 * (surveys[at]?.filled ?? 0) >= most;
  const weighed = surveys
    .flatMap((survey, at) => weighAnswer(survey, isAnswerLast(at), options) ?? [])
    .sort((a, b) => b.score - a.score);
  const holding = weighed.filter(({ holdsOptions }) => holdsOptions);
  const possible = weighed.filter(({ isNamed, repeats }) => isNamed || (options.length === 0 && repeats));
  const candidates = (holding.length > 0 ? holding : possible).map(({ candidate }) => candidate);
  const isKnown = options.length === 0 || holding.length > 0;
  const named = listNamedAnswers(surveys);
  return {
    candidates,
    isCertain: candidates.length === 0 || (candidates.length === 1 && isKnown),
    areSeveral: candidates.some(({ column }) => filterOthers(named, column).length > 0),
  };
}

/** Finds what stands in one object with the answer, where that holds nothing but answers; each with a sentence. */
export function findBeside(columns: readonly string[], answer: string | null): ReadonlyMap<string, string> {
  const parent = answer?.slice(0, Math.max(0, answer.lastIndexOf('.'))) ?? '';
  const isOfAnswers =
    findNamedAnswer([parent]) !== null || [resultWord, verdictWord].some((word) => word.test(toField(parent)));
  if (parent === '' || !isOfAnswers) return new Map();
  const beside = columns.filter((column) => column !== answer && column.startsWith(`${parent}.`));
  return new Map(beside.map((column) => [column, `It stands beside the answer in “${parent}”.`]));
}

/** Names that only an answer has, or what people note about a text; of an earlier case it is known before. */
const otherAnswerName =
  /(?:^|[^\p{L}])(?:decision|answer|label|target|outcome|verdict|result|disposition|resolution|sentiment|intent|emotion|tone|stance|toxicity|ergebnis|entscheidung|r[eé]sultat|d[eé]cision|resultado|decisi[oó]n|risultato|esito|decisione)$/iu;
const earlierName =
  /(?:^|[^\p{L}])(?:p|prev|previous|last|prior|former|first|initial|letzte\p{L}*|vorige\p{L}*)(?![\p{L}])/iu;
const toFirstWord = (key: string) => key.split(' ')[0] ?? '';

type NamedAnswer = { name: string; family: string; isNamed: boolean };

/** Lists the columns that are answers by their names, or could be beside another of their family. */
function listNamedAnswers(surveys: readonly ColumnSurvey[]): NamedAnswer[] {
  return surveys.flatMap(({ name, uses, filled, type }) => {
    const repeats = uses !== null && uses.size >= limits.minOptions && filled / uses.size >= minRowsPerValue;
    if (type === 'number' || !repeats) return [];
    const key = toKey(name);
    const family = toFirstWord(key);
    const isNamed = otherAnswerName.test(key);
    const isAnswer = (isNamed || otherAnswerName.test(family)) && !earlierName.test(key);
    return isAnswer ? [{ name, family, isNamed }] : [];
  });
}

function filterOthers(named: readonly NamedAnswer[], answer: string): NamedAnswer[] {
  const own = toFirstWord(toKey(answer));
  return named.filter(({ name, family, isNamed }) => name !== answer && (isNamed || family === own));
}

/** Names of who reads or rates a text. */
export const readerName =
  /(?:^|[^\p{L}])(?:(?:annotator|rater|reader|coder|labell?er|judge|reviewer|expert|worker|assessor|evaluator)|(?:annotator|bewerter|gutachter|kodierer|leser|pr(?:ü|ue)fer)(?:in)?|annotat(?:eur|rice)|[eé]valuat(?:eur|rice)|codeur|juge|anotador|evaluador|revisor|juez)(?![\p{L}])/iu;

/** Finds the column that has the options of the answer, as another reader gives them; null for none. */
export function findSecondReader(surveys: readonly ColumnSurvey[], answer: string | null): string | null {
  const options = new Set([...(surveys.find(({ name }) => name === answer)?.uses?.keys() ?? [])].map(toKey));
  const found = surveys.find(({ name, uses, kind, type }) => {
    if (name === answer || uses === null || uses.size < limits.minOptions || earlierName.test(toKey(name)))
      return false;
    const isNamed = readerName.test(name) || toFirstWord(toKey(name)) === toFirstWord(toKey(answer ?? ''));
    // Facts of a case are often yes or no, and numbers few.
    const areWords = kind !== 'yes_no' && type === 'string';
    return (isNamed || areWords) && [...uses.keys()].every((label) => options.has(toKey(label)));
  });
  return found?.name ?? null;
}

/** Finds other columns of answers, which another decision type would learn, as `label_tone` beside `label_topic`. */
export function findOtherAnswers(surveys: readonly ColumnSurvey[], answer: string | null): string[] {
  return answer === null ? [] : filterOthers(listNamedAnswers(surveys), answer).map(({ name }) => name);
}
