import { isJsonObject, type JsonObject } from '../../../engine/json.ts';

/**
 * Reads the JSON object that a person has typed; null for a blank text. `noun` names what is typed in the problem's
 * sentence, as in "The input schema must be a JSON object."
 */
export function readJsonText(text: string, noun: string): { value: JsonObject | null } | { problem: string } {
  if (text.trim() === '') return { value: null };
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { value };
    return { problem: `The ${noun} must be a JSON object.` };
  } catch (error) {
    return { problem: `The ${noun} is not JSON yet: ${error instanceof Error ? error.message : String(error)}` };
  }
}
