import { Fragment } from 'react';
import { isConversation, readTurns } from '../../engine/features/conversation.ts';
import { findMainText, flattenInput, valueText } from './text/inputs.ts';
import { showUnseen } from './text/names.ts';

/** A name whose line may end behind its points and underscores. */
export function BreakingName({ name }: { name: string }) {
  return showUnseen(name)
    .split(/(?<=[._])/u)
    .map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never change their order
      <Fragment key={index}>
        {part}
        <wbr />
      </Fragment>
    ));
}

type InputViewProps = {
  input: Readonly<Record<string, unknown>>;
  note?: (path: string, value: unknown) => string | null;
  without?: string | undefined;
};

/** An input as a table of its fields; `note` may say something of a field beside its value. */
export function InputView({ input, note, without }: InputViewProps) {
  const fields = flattenInput(input).filter(({ path }) => path !== without);
  if (fields.length === 0) return null;
  return (
    <table className="fields">
      <tbody>
        {fields.map(({ path, value }) => {
          const said = note?.(path, value) ?? null;
          return (
            <tr key={path}>
              <th scope="row">
                <BreakingName name={path} />
              </th>
              <td>
                <bdi>{valueText(value)}</bdi> {said && <span className="muted">· {said}</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The turns of a conversation at `path`, one below the other; null where there is none. */
export function findTurns(input: Readonly<Record<string, unknown>>, path: string) {
  const value = flattenInput(input).find((field) => field.path === path)?.value;
  if (!isConversation(value)) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long conversation is scrolled by keys, too
    <section className="turns" aria-label="Conversation" tabIndex={0}>
      {readTurns(value).map(({ role, content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns never change their order
        <div key={index}>
          <strong>
            <bdi>{showUnseen(role)}</bdi>
          </strong>
          <p>{valueText(content)}</p>
        </div>
      ))}
    </section>
  );
}

/** An input whole: its main text, then its other fields. */
export function WholeInput({ input }: { input: Readonly<Record<string, unknown>> }) {
  const main = findMainText(input);
  return (
    <>
      {main && (findTurns(input, main.path) ?? <p className="wrap">{valueText(main.value)}</p>)}
      <InputView input={input} without={main?.path} />
    </>
  );
}
