import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { InputOf, OperationName, OutputOf } from '../../server/contract/operations.ts';
import { useWorkbench } from '../workbench.tsx';

type Settings<N extends OperationName> = {
  enabled?: boolean;
  keepPrevious?: boolean;
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
    ...(settings.keepPrevious ? { placeholderData: keepPreviousData } : {}),
    refetchInterval: (query) =>
      typeof refetchMs === 'function' ? refetchMs(query.state.data as OutputOf<N> | undefined) : (refetchMs ?? false),
  });
}

/** A changing operation; afterwards everything cached is read again where it is shown. */
export function useChange<N extends OperationName>(name: N) {
  const { client } = useWorkbench();
  const cache = useQueryClient();
  return useMutation<OutputOf<N>, Error, InputOf<N>>({
    mutationFn: (input) => client.call(name, input),
    onSuccess: () => cache.invalidateQueries(),
  });
}
