/** An input as one text, for tools that label texts alone. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** The text of an input: its field `text`, else its only text or, of several, each behind its name. */
export function toPlainText(input: JsonObject): string {
  const { text } = input;
  if (typeof text === 'string') return text;
  const found: { name: string; text: string }[] = [];
  const walk = (value: Json, name: string) => {
    if (typeof value === 'string') found.push({ name, text: value });
    else if (isJsonObject(value))
      for (const [key, inner] of Object.entries(value)) walk(inner, name === '' ? key : `${name}.${key}`);
  };
  walk(input, '');
  const [only] = found;
  if (only === undefined) return JSON.stringify(input);
  return found.length === 1 ? only.text : found.map((each) => `${each.name}: ${each.text}`).join('\n');
}
