import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useStore } from 'zustand';
import type { InputOf, OperationName, OutputOf } from '../../server/contract/operations.ts';
import { findStale, invalidate } from '../api/changes.ts';
import { useWorkbench, type Workbench } from './workbench.ts';

type Settings<N extends OperationName> = {
  enabled?: boolean;
  keepPrevious?: boolean;
  /** How long an answer is taken as it is; by default two seconds. */
  staleMs?: number;
  /** How often it is asked for again where the window does not hear of what happens. */
  refetchMs?: number | ((data: OutputOf<N> | undefined) => number | false);
};

/** The answer of a reading operation, cached under its name and input. */
export function useOperation<N extends OperationName>(name: N, input: InputOf<N>, settings: Settings<N> = {}) {
  const { client, live } = useWorkbench();
  const isLive = useStore(live.store, ({ isOpen }) => isOpen);
  const refetchMs = isLive ? false : settings.refetchMs;
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => client.call(name, input, signal),
    enabled: settings.enabled ?? true,
    ...(settings.staleMs === undefined ? {} : { staleTime: settings.staleMs }),
    ...(settings.keepPrevious ? { placeholderData: keepPreviousData } : {}),
    refetchInterval: (query) =>
      typeof refetchMs === 'function' ? refetchMs(query.state.data as OutputOf<N> | undefined) : (refetchMs ?? false),
  });
}

const maxListedTypes = 100;

/** The decision types that the rail lists. */
export const useListedTypes = () =>
  useOperation('decision_types.list', { query: { page: 1, page_size: maxListedTypes } });

/** The details of a policy; not asked for while `policyId` is not known. */
export const usePolicy = (typeId: string, policyId: string | undefined, settings: Settings<'policies.get'> = {}) =>
  useOperation(
    'policies.get',
    { params: { decision_type_id: typeId, policy_id: policyId ?? '' } },
    { ...settings, enabled: policyId !== undefined },
  );

/** Asks for an answer before its part is drawn, unless one is fresh or on its way. */
export function readAhead<N extends OperationName>(
  { client, queries }: Pick<Workbench, 'client' | 'queries'>,
  name: N,
  input: InputOf<N>,
): Promise<OutputOf<N>> {
  return queries.fetchQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => client.call(name, input, signal),
    retry: false,
  });
}

/** Calls a changing operation; what it makes stale is read again. */
export async function change<N extends OperationName>(
  { client, queries }: Pick<Workbench, 'client' | 'queries'>,
  name: N,
  input: InputOf<N>,
): Promise<OutputOf<N>> {
  const output = await client.call(name, input);
  await invalidate(queries, findStale(name, input));
  return output;
}

type Outcome<N extends OperationName> = { onSuccess?(output: OutputOf<N>): void; onError?(error: Error): void };

/**
 * A changing operation for a component; see `change`. Its outcome comes even if the component is gone by then, as a
 * change often takes away what asked for it.
 */
export function useChange<N extends OperationName>(name: N) {
  const workbench = useWorkbench();
  const mutation = useMutation<OutputOf<N>, Error, InputOf<N>>({
    mutationFn: (input) => change(workbench, name, input),
  });
  const mutate = (input: InputOf<N>, { onSuccess, onError }: Outcome<N> = {}) =>
    void mutation.mutateAsync(input).then(onSuccess, (error: Error) => onError?.(error));
  return { ...mutation, mutate };
}
