import type { ImportMapping, ImportResult } from '../../server/contract/examples.ts';

/** What one column of a file becomes. */
export type ColumnRole = 'input' | 'decision' | 'reason_codes' | 'ignore';
export type ImportFormat = 'csv' | 'tsv' | 'json' | 'jsonl';

/** The format a file name or its first characters speak of; CSV when nothing else fits. */
export function guessFormat(fileName: string, text: string): ImportFormat {
  const ending = fileName.toLowerCase().split('.').at(-1) ?? '';
  if (ending === 'csv' || ending === 'tsv' || ending === 'json' || ending === 'jsonl') return ending;
  if (ending === 'ndjson') return 'jsonl';
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return /\}\s*\n\s*\{/.test(start) ? 'jsonl' : 'json';
  return (start.split('\n')[0] ?? '').includes('\t') ? 'tsv' : 'csv';
}

/** The role of a column under a mapping; a mapping without an input list takes every column that is nothing else. */
export function findRole(column: string, mapping: ImportMapping): ColumnRole {
  if (mapping.decision === column) return 'decision';
  if (mapping.reason_codes === column) return 'reason_codes';
  return mapping.input === null || mapping.input.includes(column) ? 'input' : 'ignore';
}

/** The mapping after one column got another role; only one column can be the decision, one the reason codes. */
export function withRole(
  mapping: ImportMapping,
  columns: readonly string[],
  column: string,
  role: ColumnRole,
): ImportMapping {
  const roles = new Map(columns.map((name) => [name, findRole(name, mapping)]));
  if (role === 'decision' || role === 'reason_codes') {
    for (const [name, old] of roles) if (old === role) roles.set(name, 'ignore');
  }
  roles.set(column, role);
  const named = (wanted: ColumnRole) => columns.filter((name) => roles.get(name) === wanted);
  return {
    decision: named('decision')[0] ?? null,
    reason_codes: named('reason_codes')[0] ?? null,
    input: named('input'),
  };
}

/** Why a previewed import cannot be made, in words; null when it can. */
export function importProblem(result: ImportResult): string | null {
  if (result.total === 0) return 'The file has no rows.';
  if (result.unknown_decisions.length > 0) {
    const list = result.unknown_decisions.slice(0, 5).map(({ value, count }) => `“${value}” (${count})`);
    return `These labels are not options of the decision type: ${list.join(', ')}. Add them as options or choose another column.`;
  }
  return null;
}
