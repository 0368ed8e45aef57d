import { TextInput } from '@mantine/core';
import type { Dispatch, SetStateAction } from 'react';

/** The reason for what is released next, and what takes it. */
export type Why = [reason: string, set: Dispatch<SetStateAction<string>>];

const maxReasonLength = 500;

/** Takes the reason for what is released next; it stands where something can be released. */
export function ReasonField({ why: [reason, setReason] }: { why: Why }) {
  return (
    <TextInput
      label="Reason"
      description="Kept in the history with what you deploy or go back to next. Required if it is worse."
      maw={480}
      maxLength={maxReasonLength}
      value={reason}
      onChange={(event) => setReason(event.currentTarget.value)}
    />
  );
}
