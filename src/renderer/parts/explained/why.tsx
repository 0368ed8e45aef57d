import { Button } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Explanation } from '../../../server/contract/deciding/decisions.ts';
import type { InputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { useKept } from '../../state/kept.ts';
import { useOperation } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';
import { Busy, ErrorNote, Keys, Part } from '../notes.tsx';

// It comes with the first explanation: most readers of a list never ask for one.
const Explained = lazy(async () => ({ default: (await import('./explained.tsx')).Explained }));

/** Whether a place explains decisions: asked for once, it does so for every one that is opened, also after a reload. */
export function useWhy(type: DecisionType, place: string, startsOpen = false) {
  const [kept, setKept] = useKept(`why.${place}`);
  const isOpen = (kept ?? String(startsOpen)) === 'true';
  const toggle = () => setKept(String(!isOpen));
  // Under Try there are no rows in which a single key could act.
  return { isOpen, isAsked: isOpen && type.model_deployed, toggle, hasKey: place !== 'try' };
}

const restMs = 300;
const keptMs = 60_000;

/** Whether a row has been shown for a moment: those that somebody only passes by cost the server nothing. */
export function useRested(rowId: string): boolean {
  const [rested, setRested] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setRested(rowId), restMs);
    return () => clearTimeout(timer);
  }, [rowId]);
  return rested === rowId;
}

/** The explanation of a row that is decided already, once it is asked for. */
export function useExplanation<N extends 'examples.explain' | 'logs.explain'>(
  name: N,
  input: InputOf<N>,
  isAsked: boolean,
) {
  const { data, error, refetch } = useOperation(name, input, { enabled: isAsked, staleMs: keptMs });
  return { data, error, isStale: false, retry: () => void refetch() };
}

type WhyProps = {
  type: DecisionType;
  why: ReturnType<typeof useWhy>;
  /** The server's answer, as far as it has come. */
  answer: { data: Explanation | undefined; error: unknown; isStale: boolean; retry(): void };
  input: Readonly<Record<string, unknown>>;
  /** The recorded decision, where the deployed policy may decide differently now; its trace is then shown. */
  decided?: string;
  /** Whether the deployed policy has learned from the input since that was decided. */
  hasLearned?: boolean;
};

/** Why an input is decided as it is and what would change that; nothing is asked for before it is opened. */
export function Why({ type, why: { isOpen, toggle, hasKey }, answer, input, decided, hasLearned }: WhyProps) {
  const title = isOpen ? 'Hide the explanation' : 'Explain the decision';
  useCommands('Explain', [
    { id: 'why', title, ...(hasKey ? { keys: 'w' } : {}), enabled: type.model_deployed, run: toggle },
  ]);
  const { data, error, isStale, retry } = answer;
  return (
    <Part
      title="Explanation"
      tools={
        type.model_deployed && (
          <Button size="compact-xs" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? 'Hide' : 'Explain'}
          </Button>
        )
      }
    >
      {!type.model_deployed ? (
        <p className="muted">Deploy a policy to see what would change its decision.</p>
      ) : !isOpen ? (
        <p className="muted">
          What weighed in, what would change the decision, and the examples most like it. {hasKey && <Keys keys="W" />}
        </p>
      ) : error !== null ? (
        <ErrorNote error={error} retry={retry} />
      ) : data === undefined ? (
        <Busy>Looking for what would change the decision…</Busy>
      ) : (
        <div className={isStale ? 'stale' : undefined} aria-busy={isStale}>
          <Suspense fallback={<Busy>Loading…</Busy>}>
            <Explained type={type} explanation={data} input={input} decided={decided} hasLearned={hasLearned} />
          </Suspense>
        </div>
      )}
    </Part>
  );
}
