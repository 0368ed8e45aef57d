/** Why a setting was not saved, beside the button that saves it. */
import { Button } from '@mantine/core';
import { ErrorNote } from '../../parts/notes.tsx';
import type { Setting } from '../../state/use-setting.ts';

/** A refusal; where somebody else was faster, with the choice between both. */
export function SettingRefusal({ setting: { error, choice } }: { setting: Setting }) {
  if (error === null) return null;
  if (!choice) return <ErrorNote error={error} />;
  return (
    <div className="stack tight">
      <ErrorNote error={error} />
      <div className="row">
        <Button onClick={choice.takeTheirs}>Take theirs</Button>
        <Button onClick={choice.keepMine}>Keep mine</Button>
      </div>
    </div>
  );
}
