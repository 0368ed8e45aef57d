import type { Readings } from '../../engine/domain/definition.ts';
import { cutTurns, isConversation, readTurns, type TextTurn, type Turn } from '../../engine/features/conversation.ts';
import { BreakingName } from './text/breaking-name.tsx';
import { findMainText, flattenInput, valueText } from './text/inputs.ts';
import { MarkedText, type Word } from './text/marked-text.tsx';
import { showUnseen } from './text/names.ts';

/** A value of more characters has the whole width of its place. */
const maxShortLength = 40;

type InputViewProps = {
  input: Readonly<Record<string, unknown>>;
  note?: (path: string, value: unknown) => string | null;
  without?: string | undefined;
  readings: Readings;
};

/** An input as a table of its fields; `note` may say something of a field beside its value. */
export function InputView({ input, note, without, readings }: InputViewProps) {
  const fields = flattenInput(input).filter(({ path }) => path !== without);
  if (fields.length === 0) return null;
  return (
    <table className="fields">
      <tbody>
        {fields.map(({ path, value }) => {
          const said = note?.(path, value) ?? null;
          const text = valueText(value, readings[path]);
          return (
            <tr key={path} data-long={text.length > maxShortLength || undefined}>
              <th scope="row">
                <BreakingName name={path} />
              </th>
              <td>
                <bdi>{text}</bdi> {said && <span className="muted">· {said}</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The turns of a conversation at `path`, or null; in a text of turns, words that weighed are marked. */
export function findTurns(input: Readonly<Record<string, unknown>>, path: string, words: readonly Word[] = []) {
  const value = flattenInput(input).find((field) => field.path === path)?.value;
  const turns: (Turn | TextTurn)[] | null =
    typeof value === 'string' ? cutTurns(value) : isConversation(value) ? readTurns(value) : null;
  if (turns === null) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long conversation is scrolled by keys as well
    <section className="turns" aria-label="Conversation" tabIndex={0}>
      {turns.map((turn, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns never change their order
        <div key={index}>
          <strong>
            <bdi>{showUnseen(turn.role)}</bdi>
          </strong>
          <p>
            <MarkedText text={turn.content} words={'start' in turn ? findWithin(words, turn) : []} />
          </p>
        </div>
      ))}
    </section>
  );
}

const findWithin = (words: readonly Word[], { start, content }: TextTurn): Word[] =>
  words
    .filter((word) => word.start >= start && word.end <= start + content.length)
    .map((word) => ({ ...word, start: word.start - start, end: word.end - start }));

/** An input whole: its main text, then its other fields. */
export function WholeInput({ input, readings }: Pick<InputViewProps, 'input' | 'readings'>) {
  const main = findMainText(input);
  return (
    <>
      {main && (findTurns(input, main.path) ?? <p className="wrap">{valueText(main.value)}</p>)}
      <InputView input={input} without={main?.path} readings={readings} />
    </>
  );
}
