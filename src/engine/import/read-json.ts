/** Examples as JSON: one list of objects, or an object a line. */
import { isJsonObject } from '../json.ts';
import { fromObjects, type ParseJson, type Refusal, type Sheet, type SheetRow, UnreadableFile } from './sheet.ts';

type ObjectRow = Extract<SheetRow, { values: unknown }>;

/** Reads JSON as the platform does, which takes the last of two equal keys. */
export const parsePlainJson: ParseJson = (text, line) => {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return {
      ok: false,
      problems: [{ line, column: 1, message: error instanceof Error ? error.message : String(error) }],
    };
  }
};

/** Reads a list of objects, or the first list in an object. Throws UnreadableFile. */
export function readJson(text: string, detected: string[], parseJson: ParseJson): Sheet {
  const parsed = parseJson(text, 1);
  if (!parsed.ok) {
    const [problem] = parsed.problems;
    throw new UnreadableFile(`The file is not valid JSON: ${problem?.message}`, problem);
  }
  const list = isJsonObject(parsed.value) ? Object.values(parsed.value).find(Array.isArray) : parsed.value;
  if (!Array.isArray(list))
    throw new UnreadableFile('The file holds no list of examples. Put them into one JSON array.');
  const rows: ObjectRow[] = [];
  const refused: Refusal[] = [];
  for (const [index, item] of list.entries()) {
    if (isJsonObject(item)) rows.push({ line: index + 1, values: item });
    else refused.push({ line: index + 1, column: 1, message: `element ${index + 1} is not an object` });
  }
  return fromObjects(rows, detected, refused);
}

/** Reads an object a line; lines that hold none are refused. */
export function readJsonLines(text: string, detected: string[], parseJson: ParseJson, maxRows?: number): Sheet {
  const rows: ObjectRow[] = [];
  const refused: Refusal[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const parsed = parseJson(line, index + 1);
    if (!parsed.ok) refused.push(...parsed.problems);
    else if (isJsonObject(parsed.value)) rows.push({ line: index + 1, values: parsed.value });
    else refused.push({ line: index + 1, column: 1, message: 'not an object' });
    if (rows.length + refused.length === maxRows) break;
  }
  return fromObjects(rows, detected, refused);
}
