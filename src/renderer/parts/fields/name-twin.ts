/** Another decision type that has the name being typed, or one that looks the same. */
import { useQuery } from '@tanstack/react-query';
import { useListedTypes } from '../../state/queries.ts';
import { isolate } from '../text/names.ts';

/** Loads the table of characters that look alike with the field of a name; until then only equal names count. */
const useLook = () =>
  useQuery({
    queryKey: ['look-alikes'],
    queryFn: async () => (await import('../../../engine/domain/look-alikes.ts')).toSkeleton,
    staleTime: Number.POSITIVE_INFINITY,
  }).data ?? ((name: string) => name.trim());

/** Finds the other type, and says so at the field of the name; undefined where none is like it. */
export function useNameTwin(name: string, exceptId: string | null = null) {
  const toLook = useLook();
  const types = useListedTypes().data?.items;
  const look = toLook(name);
  const twin = types?.find((type) => type.id !== exceptId && toLook(type.name) === look);
  if (twin === undefined) return undefined;
  const isSame = twin.name === name.trim();
  const how = isSame ? 'A decision type has this name' : `The decision type “${isolate(twin.name)}” looks the same`;
  return { twin, problem: `${how}: take another name` };
}
