/** The reason for a release, asked for in the same words by each act that makes one. */
import { TextInput } from '@mantine/core';
import type { Dispatch, SetStateAction } from 'react';

/** The reason for what is released next, and what takes it. */
export type Why = [reason: string, set: Dispatch<SetStateAction<string>>];

const maxReasonLength = 500;

type ReasonFieldProps = {
  why: Why;
  /** Whether something is known to speak against what is released. */
  isHeld?: boolean;
  /** Whether it has the focus in its dialog. */
  isFirst?: boolean;
};

/** Takes the reason for what is released next; it stands where something can be released. */
export function ReasonField({ why: [reason, setReason], isHeld = false, isFirst = false }: ReasonFieldProps) {
  return (
    <TextInput
      label="Reason"
      description={`${isHeld ? 'Required, as something speaks against this.' : 'Required only where something speaks against it.'} Kept in the history.`}
      maw={480}
      maxLength={maxReasonLength}
      required={isHeld}
      value={reason}
      data-autofocus={isFirst || undefined}
      onChange={(event) => setReason(event.currentTarget.value)}
    />
  );
}
