import { useState } from 'react';
import { useKept } from '../../state/kept.ts';
import { readJsonText } from '../text/json-text.ts';

type Input = Readonly<Record<string, unknown>>;

const write = (input: Input) => JSON.stringify(input, null, 2);

/**
 * An input as text that is typed, or taken from samples in turn, and kept under `key` over a reload. Until something is
 * typed it is the first sample; without samples, as long as they are loaded, it is empty.
 */
export function useTypedInput(key: string, samples: readonly Input[] | undefined) {
  const [kept, setText] = useKept(key);
  const [turn, setTurn] = useState(0);
  const text = kept ?? (samples ? write(samples[0] ?? {}) : '');
  const parsed = readJsonText(text, 'input');
  const take = (index: number) => {
    setTurn(index);
    setText(write(samples?.[index] ?? {}));
  };
  return {
    text,
    /** Whether there is a text: typed earlier, or from samples that are loaded. */
    isReady: kept !== null || samples !== undefined,
    /** null while the text is no JSON object; `problem` says why. */
    input: 'value' in parsed ? parsed.value : null,
    problem: 'problem' in parsed ? parsed.problem : undefined,
    /** The sample that was taken last. */
    turn,
    setText,
    setInput: (input: Input) => setText(write(input)),
    take,
    takeNext: () => take((turn + 1) % Math.max(1, samples?.length ?? 0)),
  };
}
