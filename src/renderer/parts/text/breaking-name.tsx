import { Fragment } from 'react';
import { showUnseen } from './names.ts';

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
