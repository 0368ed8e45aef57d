/** Settings of a type that are saved by one press, over nothing that somebody else has changed since they were read. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../server/contract/client.ts';
import type { DecisionType, DecisionTypeUpdate } from '../../server/contract/types/decision-types.ts';
import { findStale, invalidate } from '../api/changes.ts';
import { toDraft, toSettingsCall } from './drafts.ts';
import { change } from './queries.ts';
import { useUndo } from './use-undo.ts';
import { useWorkbench } from './workbench.ts';

type Order = {
  to: DecisionTypeUpdate;
  /** Its name for Undo. */
  title: string;
  text: string;
  /** Called once it is saved, or given up for what somebody else has saved. */
  onDone(): void;
  /** The state that is written over; by default the one that the edit began from. */
  ifMatch?: string;
};

/** Saves settings with the way back; after a change by others since, waits until one of both is chosen. */
export function useSetting(type: DecisionType, isEdited: boolean) {
  const workbench = useWorkbench();
  const [seen, setSeen] = useState(type.etag);
  if (!isEdited && seen !== type.etag) setSeen(type.etag);
  const { noteDone } = useUndo(type.id);
  const saving = useMutation({
    mutationFn: async ({ to, ifMatch = seen }: Order) => {
      const stored = Object.entries({ ...toDraft(type), costs: type.costs, groups: type.groups }).filter(
        ([name]) => name in to,
      );
      const [back, again] = [toSettingsCall(type, Object.fromEntries(stored)), toSettingsCall(type, to)];
      const { etag } = await change(workbench, again.name, { ...again.input, ifMatch });
      return { back, again, etag };
    },
    onSuccess: ({ back, again, etag }, { title, text, onDone }) => {
      setSeen(etag);
      onDone();
      noteDone(title, text, back, again);
    },
    // Theirs is in sight before one of both is chosen.
    onError: () => invalidate(workbench.queries, findStale('decision_types.update', toSettingsCall(type, {}).input)),
  });
  const { variables, error, isPending, mutate, reset } = saving;
  const isOvertaken = error instanceof ApiError && error.code === 'precondition_failed';
  return {
    isPending,
    error,
    save: mutate,
    /** False unless somebody else has changed the type since the edit began. */
    choice: isOvertaken &&
      variables && {
        keepMine: () => mutate({ ...variables, ifMatch: type.etag }),
        takeTheirs: () => {
          reset();
          variables.onDone();
        },
      },
  };
}

export type Setting = ReturnType<typeof useSetting>;
