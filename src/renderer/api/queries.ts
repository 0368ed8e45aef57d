import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { InputOf, OperationName, OutputOf } from '../../server/contract/operations.ts';
import { useWorkbench, type Workbench } from '../workbench.tsx';
import { findStale, invalidate } from './changes.ts';

type Settings<N extends OperationName> = {
  enabled?: boolean;
  keepPrevious?: boolean;
  /** How long an answer is taken as it is; by default two seconds. */
  staleMs?: number;
  refetchMs?: number | ((data: OutputOf<N> | undefined) => number | false);
};

/** The answer of a reading operation, cached under its name and input. */
export function useOperation<N extends OperationName>(name: N, input: InputOf<N>, settings: Settings<N> = {}) {
  const { client } = useWorkbench();
  const { refetchMs } = settings;
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

/** Calls a changing operation; what it makes stale is read again here and in the other windows. */
export async function change<N extends OperationName>(
  { client, queries, windows }: Pick<Workbench, 'client' | 'queries' | 'windows'>,
  name: N,
  input: InputOf<N>,
): Promise<OutputOf<N>> {
  const output = await client.call(name, input);
  const stale = findStale(name, input);
  windows.tell(stale);
  await invalidate(queries, stale);
  return output;
}

/** A changing operation for a component; see `change`. */
export function useChange<N extends OperationName>(name: N) {
  const workbench = useWorkbench();
  return useMutation<OutputOf<N>, Error, InputOf<N>>({ mutationFn: (input) => change(workbench, name, input) });
}
