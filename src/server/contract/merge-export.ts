/** Merges an export of examples into a type: by one call, or a large one of JSON Lines by a call for each part. */
import type { ConflictChoice } from '../../engine/export/merge.ts';
import { isJsonObject, toCanonicalJson } from '../../engine/json.ts';
import { parseJsonText } from '../../engine/json-faults.ts';
import { limits } from '../../engine/limits.ts';
import { ApiError, type Client } from './client.ts';
import type { ImportResult } from './examples/examples.ts';

/** Characters of a part, each of three bytes at most: the call takes 16 MiB and reads these in half of its memory. */
const partCharacters = 4 * 2 ** 20;
const maxListed = 100;

export type MergedExport = Pick<ImportResult, 'total' | 'labelled' | 'unknown_decisions'> & {
  merge: NonNullable<ImportResult['merge']>;
};
/** Lines of an export, each with its number in the whole file. */
type Part = { lines: string[]; numbers: number[] };

const isOfLines = (name: string) => /\.(jsonl|ndjson)$/i.test(name);

/** Says that an export is larger than a merge takes, and what to do; null for one that can be merged. */
export function describeTooLarge({ name, size }: Pick<File, 'name' | 'size'>): string | null {
  if (size <= limits.maxExamplesBytes || isOfLines(name)) return null;
  const [given, most] = [size, limits.maxExamplesBytes].map((bytes) => Math.ceil(bytes / 2 ** 20));
  return `The export has ${given} MiB, and one merge takes ${most}. Export the examples as JSON Lines, which are merged part by part.`;
}

/**
 * Says what the merge of an export does and, with `commit`, does it. A large one of JSON Lines is checked whole before
 * its first part counts. Rejects with an ApiError, which says what was merged before it.
 */
export async function mergeExport(
  client: Client,
  typeId: string,
  file: File,
  choice: ConflictChoice,
  commit: boolean,
): Promise<MergedExport> {
  const send = async (body: Blob, isCommitted: boolean): Promise<MergedExport> => {
    const form = new FormData();
    form.set('file', body, file.name);
    form.set('on_conflict', choice);
    form.set('commit', String(isCommitted));
    const { merge, ...result } = await client.upload('examples.import', { params: { decision_type_id: typeId } }, form);
    if (merge === null) throw new ApiError('validation_error', 'The file is no export of examples.', 422);
    return { ...result, merge };
  };
  if (file.size <= limits.maxExamplesBytes || !isOfLines(file.name)) return send(file, commit);
  const parts = cutLines(await file.text());
  const sendAll = async (isCommitted: boolean) => {
    let sum: MergedExport | null = null;
    for (const { lines, numbers } of parts) {
      try {
        sum = add(sum, await send(new Blob([lines.join('\n')]), isCommitted), numbers);
      } catch (error) {
        if (!isCommitted || sum === null || !(error instanceof ApiError)) throw error;
        const { code, message, status, details } = error;
        const done = `${sum.total} examples of the file were merged before; merge it again for the others.`;
        throw new ApiError(code, `${message} ${done}`, status, details, { cause: error });
      }
    }
    if (sum === null) throw new ApiError('validation_error', 'The file holds no examples.', 422);
    return sum;
  };
  const found = await sendAll(false);
  if (!commit) return found;
  const [unknown] = found.unknown_decisions;
  if (unknown !== undefined) {
    const where = `“${unknown.value}” in line ${unknown.line}`;
    throw new ApiError('validation_error', `${where} is no option of the decision type. Add it first.`, 422);
  }
  if (choice === 'refuse' && found.merge.conflicts > 0) {
    const what = `${found.merge.conflicts} examples were changed here and in the file otherwise`;
    throw new ApiError('validation_error', `${what}; choose keep, take or flag.`, 422);
  }
  return sendAll(true);
}

/** Cuts lines into parts. Those of equal inputs stay in one: a merge takes what comes later for the example before. */
function cutLines(text: string): Part[] {
  const partOf = new Map<string, Part>();
  const parts: Part[] = [];
  let last: Part = { lines: [], numbers: [] };
  let characters = Number.POSITIVE_INFINITY;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    if (characters > partCharacters) {
      last = { lines: [], numbers: [] };
      parts.push(last);
      characters = 0;
    }
    const input = readInput(line);
    const part = partOf.get(input) ?? last;
    partOf.set(input, part);
    part.lines.push(line);
    part.numbers.push(index + 1);
    if (part === last) characters += line.length;
  }
  return parts;
}

/** The input of a line as a text by which equal ones are known; a line that cannot be read is refused by the server. */
function readInput(line: string): string {
  const parsed = parseJsonText(line);
  const input = parsed.ok && isJsonObject(parsed.value) ? parsed.value['input_payload'] : undefined;
  return input === undefined ? line : toCanonicalJson(input);
}

function add(sum: MergedExport | null, result: MergedExport, numbers: readonly number[]): MergedExport {
  const toWhole = <Found extends { line: number }>(found: Found): Found => ({
    ...found,
    line: numbers[found.line - 1] ?? found.line,
  });
  const { merge, unknown_decisions: unknown } = result;
  const counts = new Map((sum?.unknown_decisions ?? []).map((each) => [each.value, each]));
  for (const each of unknown.map(toWhole)) {
    const known = counts.get(each.value);
    counts.set(each.value, known === undefined ? each : { ...known, count: known.count + each.count });
  }
  return {
    total: (sum?.total ?? 0) + result.total,
    labelled: (sum?.labelled ?? 0) + result.labelled,
    unknown_decisions: [...counts.values()].slice(0, maxListed),
    merge: {
      added: (sum?.merge.added ?? 0) + merge.added,
      changed: (sum?.merge.changed ?? 0) + merge.changed,
      unchanged: (sum?.merge.unchanged ?? 0) + merge.unchanged,
      conflicts: (sum?.merge.conflicts ?? 0) + merge.conflicts,
      items: [...(sum?.merge.items ?? []), ...merge.items.map(toWhole)].slice(0, maxListed),
    },
  };
}
