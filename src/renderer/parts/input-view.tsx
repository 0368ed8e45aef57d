import { flattenInput, valueText } from './text/inputs.ts';
import { showUnseen } from './text/names.ts';

/** An input as a table of its fields; `note` may say something of a field beside its value. */
export function InputView({
  input,
  note,
  without,
}: {
  input: Readonly<Record<string, unknown>>;
  note?: (path: string, value: unknown) => string | null;
  without?: string | undefined;
}) {
  const fields = flattenInput(input).filter(({ path }) => path !== without);
  if (fields.length === 0) return null;
  return (
    <table className="fields">
      <tbody>
        {fields.map(({ path, value }) => {
          const said = note?.(path, value) ?? null;
          return (
            <tr key={path}>
              <th scope="row">{showUnseen(path)}</th>
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
