/** The names of classes that Hugging Face's `datasets` keeps of numbered ones, in the metadata of a Parquet file. */
import { isJsonObject } from '../../json.ts';
import { parseJsonText } from '../../json-faults.ts';

/** Reads the names by the column that holds their numbers; none where the text says nothing of classes. */
export function readClassNames(text: string): Map<string, readonly unknown[]> {
  const parsed = parseJsonText(text);
  const info = parsed.ok && isJsonObject(parsed.value) ? parsed.value['info'] : null;
  const features = isJsonObject(info) ? info['features'] : null;
  const entries = isJsonObject(features) ? Object.entries(features) : [];
  return new Map(
    entries.flatMap(([column, feature]): [string, readonly unknown[]][] => {
      const names = isJsonObject(feature) && feature['_type'] === 'ClassLabel' ? feature['names'] : null;
      return Array.isArray(names) ? [[column, names]] : [];
    }),
  );
}
