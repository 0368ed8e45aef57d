/** Two policies on the rows that both have held out: figures of different rows cannot be compared. */

export type HeldOutAnswer = { exampleId: string; expected: string; predicted: string };
type Score = { right: number; macroF1: number };

/** Scores two policies on rows that both held out with one label; macro-F1 as in the metrics. */
export function compareOnCommonRows(
  first: readonly HeldOutAnswer[],
  second: readonly HeldOutAnswer[],
): { rows: number; first: Score; second: Score } {
  const byId = new Map(second.map((answer) => [answer.exampleId, answer]));
  const pairs = first.flatMap((answer) => {
    const other = byId.get(answer.exampleId);
    return other === undefined || other.expected !== answer.expected ? [] : [{ answer, other }];
  });
  return {
    rows: pairs.length,
    first: scoreAnswers(pairs.map(({ answer }) => answer)),
    second: scoreAnswers(pairs.map(({ other }) => other)),
  };
}

function scoreAnswers(answers: readonly HeldOutAnswer[]): Score {
  const hits = new Map<string, number>();
  const either = new Map<string, number>();
  const count = (map: Map<string, number>, option: string) => map.set(option, (map.get(option) ?? 0) + 1);
  for (const { expected, predicted } of answers) {
    if (expected === predicted) count(hits, expected);
    count(either, expected);
    count(either, predicted);
  }
  const scores = [...either].map(([option, seen]) => (2 * (hits.get(option) ?? 0)) / seen);
  return {
    right: [...hits.values()].reduce((sum, right) => sum + right, 0),
    macroF1: scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length,
  };
}
