/** Advice beside a row without a label: a suggestion, and why the row comes now. */
import { useEffect, useRef, useState } from 'react';
import type { Example } from '../../../../server/contract/examples/examples.ts';
import type { Suggestion } from '../../../../server/contract/examples/labelling.ts';
import { useRestedCall } from '../../../parts/hooks/use-rested.ts';
import { useWorkbench } from '../../../state/workbench.ts';
import type { Rows } from '../rows/use-rows.ts';

/** Notes of the server on rows that it gives out. */
export type Given = {
  suggestionOf(exampleId: string): Suggestion | null;
  whyOf(exampleId: string): string | null;
  /** How far the labels are of a queue that the labelling model orders. */
  progress: { labels: number; drawn: number } | null;
  /** The sentence on what more labels would bring. */
  forecast?: string | null | undefined;
  /** Whether nothing may speak for an answer. */
  isBlind: boolean;
  /** Whether Enter confirms the label that stands there: a person has corrected it. */
  confirms: boolean;
};

export type Advice = {
  suggestionOf(exampleId: string): Suggestion | null;
  /** Returns what Enter answers: the label that a person gave as a correction, else a suggestion that beats chance. */
  answerOf(example: Example): string | null;
};

const restMs = 300;
const askedAtOnce = 10;
/** Rows at the cursor without a suggestion, from which on the next ones are asked for. */
const minKnown = 3;

/**
 * Suggestions for the rows at the cursor and the next ones, where they were not given out with one. They are asked for
 * where somebody rests: keys that run through rows cost the server nothing.
 */
export function useAdvice(typeId: string, rows: Rows, cursor: number, given?: Given): Advice {
  const { client } = useWorkbench();
  const [found, setFound] = useState<ReadonlyMap<string, Suggestion>>(new Map());
  const suggestionOf = (id: string) => given?.suggestionOf(id) ?? found.get(id) ?? null;
  const asking = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    asking.current = controller;
    return () => controller.abort();
  }, []);
  const ask = useRestedCall(() => {
    const ids = Array.from({ length: askedAtOnce }, (_, ahead) => rows.at(cursor + ahead)?.id ?? []).flat();
    const unknown = ids.filter((id) => suggestionOf(id) === null);
    if (!ids.slice(0, minKnown).some((id) => unknown.includes(id))) return;
    const input = { params: { decision_type_id: typeId }, body: { ids: unknown } };
    client.call('examples.suggest', input, asking.current?.signal).then(
      ({ items }) =>
        setFound((before) => {
          const pairs = items.flatMap(({ example_id: id, suggestion }) =>
            suggestion ? [[id, suggestion] as const] : [],
          );
          return new Map([...before, ...pairs]);
        }),
      // Labelling goes on without suggestions; the next row asks again.
      () => undefined,
    );
  }, restMs);
  const currentId = rows.at(cursor)?.id;
  useEffect(() => {
    if (currentId !== undefined && !given?.isBlind) ask();
  }, [ask, currentId, given?.isBlind]);
  return {
    suggestionOf,
    answerOf: ({ id, expected_decision }) => {
      if (given?.confirms) return expected_decision;
      const suggestion = suggestionOf(id);
      return suggestion?.beats_chance ? suggestion.decision : null;
    },
  };
}

/** How many labels follow the suggestion, of those that had one. */
export function countAgreement(
  labels: ReadonlyMap<string, string>,
  { suggestionOf }: Pick<Advice, 'suggestionOf'>,
): { agreed: number; of: number } {
  const pairs = [...labels].flatMap(([id, label]) => {
    const suggestion = suggestionOf(id);
    return suggestion === null ? [] : [suggestion.decision === label];
  });
  return { agreed: pairs.filter(Boolean).length, of: pairs.length };
}
