/** Whether another decision type has a name that is typed, or one that looks the same. */
import { toSkeleton } from '../../../engine/domain/look-alikes.ts';
import { useListedTypes } from '../../state/queries.ts';
import { isolate } from '../text/names.ts';

/** Finds the other type, and says so at the field of the name; undefined where none is like it. */
export function useNameTwin(name: string, exceptId: string | null = null) {
  const look = toSkeleton(name);
  const twin = useListedTypes().data?.items.find((type) => type.id !== exceptId && toSkeleton(type.name) === look);
  if (twin === undefined) return undefined;
  const isSame = twin.name === name.trim();
  const how = isSame ? 'A decision type has this name' : `The decision type “${isolate(twin.name)}” looks the same`;
  return { twin, problem: `${how}: take another name` };
}
