import { Fragment } from 'react';
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

/** An input whole: its main text, then its other fields. */
export function WholeInput({ input }: { input: Readonly<Record<string, unknown>> }) {
  const main = findMainText(input);
  return (
    <>
      {main && <p className="wrap">{valueText(main.value)}</p>}
      <InputView input={input} without={main?.path} />
    </>
  );
}
