/** Where values of personal fields may still lie that were declared after they were written. */
import type { JsonObject } from '../../../engine/json.ts';
import { blockRows, toBlockNumber } from '../blocks.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { createLogChain } from '../log-chain.ts';

/** The log of a type, as far as it is not rewritten: records up to `rawTo` may hold such values. */
type LogResidue = { rawTo: number; isClearing: boolean };

const sliceRows = 500;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    find: db.prepare<[number], { rawTo: number; isClearing: number }>(
      'SELECT raw_to AS rawTo, is_clearing AS isClearing FROM personal_residues WHERE decision_type_seq = ?',
    ),
    note: db.prepare(
      `INSERT INTO personal_residues (decision_type_seq, raw_to, is_clearing)
       SELECT @typeSeq, max(seq), @isClearing FROM decision_logs HAVING max(seq) IS NOT NULL
       ON CONFLICT (decision_type_seq) DO UPDATE SET raw_to = excluded.raw_to,
         is_clearing = max(is_clearing, excluded.is_clearing)`,
    ),
    lower: db.prepare('UPDATE personal_residues SET raw_to = ? WHERE decision_type_seq = ?'),
    remove: db.prepare('DELETE FROM personal_residues WHERE decision_type_seq = ?'),
    clearing: db
      .prepare<[], number>('SELECT decision_type_seq FROM personal_residues WHERE is_clearing = 1 ORDER BY 1')
      .pluck(),
    piiFields: db.prepare<[number], string>('SELECT pii_fields FROM decision_types WHERE seq = ?').pluck(),
    countBlocks: db
      .prepare<[number, number], number>('SELECT total(n) FROM log_blocks WHERE decision_type_seq = ? AND block < ?')
      .pluck(),
    countRows: db
      .prepare<[number, number, number], number>(
        `SELECT count(*) FROM decision_logs
         WHERE seq BETWEEN ? AND ? AND decision_type_seq = ? AND removed_at IS NULL`,
      )
      .pluck(),
    inputs: db.prepare<[number, number, number], { seq: number; input: string }>(
      'SELECT seq, input FROM decision_logs WHERE seq BETWEEN ? AND ? AND decision_type_seq = ?',
    ),
    rewrite: db.prepare('UPDATE decision_logs SET input = ? WHERE seq = ?'),
    policies: db.prepare<[string], { id: string; piiFields: string | null }>(
      `SELECT id, pii_fields AS piiFields FROM policies
       WHERE decision_type_id = ? AND bundle_sha256 IS NOT NULL ORDER BY version DESC`,
    ),
  };
}

/** Queries about personal values written before their fields were declared. */
export function createPersonalResidueStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);
  const chain = createLogChain(db);

  return {
    /** Returns the part of a type's log that is not rewritten, or null. */
    findLogResidue(typeSeq: number): LogResidue | null {
      const row = statements.find.get(typeSeq);
      return row === undefined ? null : { rawTo: row.rawTo, isClearing: row.isClearing === 1 };
    },
    /** Counts a type's records up to a row number, from the summaries of full blocks and the rows of the last one. */
    countRecords(typeSeq: number, upTo: number): number {
      const block = toBlockNumber(upTo);
      const full = statements.countBlocks.get(typeSeq, block) ?? 0;
      return full + (statements.countRows.get(block * blockRows, upTo, typeSeq) ?? 0);
    },
    /** Notes that a type's records may hold such values; with `isClearing`, that they are to be rewritten. */
    note(typeSeq: number, isClearing: boolean): void {
      statements.note.run({ typeSeq, isClearing: isClearing ? 1 : 0 });
    },
    /** The types whose records are to be rewritten. */
    listClearing: (): number[] => statements.clearing.all(),
    /** Rewrites a slice of a type's records, newest first, in a commit; returns whether there are more. */
    rewriteSome(typeSeq: number, redact: (input: JsonObject, piiFields: string[]) => JsonObject): boolean {
      const { find, piiFields, inputs, rewrite, lower, remove } = statements;
      const rewriteSlice = db.transaction((): boolean => {
        const residue = find.get(typeSeq);
        if (residue === undefined) return false;
        const fields = JSON.parse(piiFields.get(typeSeq) ?? '[]') as string[];
        const first = Math.max(0, residue.rawTo - sliceRows + 1);
        const masked: number[] = [];
        for (const { seq, input } of inputs.all(first, residue.rawTo, typeSeq)) {
          const redacted = JSON.stringify(redact(JSON.parse(input), fields));
          if (redacted === input) continue;
          rewrite.run(redacted, seq);
          masked.push(seq);
        }
        chain.noteMasked(masked);
        if (first > 0) lower.run(first - 1, typeSeq);
        else remove.run(typeSeq);
        return first > 0;
      });
      return rewriteSlice.immediate();
    },
    /** The policies of a type that have a bundle, with the fields declared when they were trained; null: not known. */
    listPolicies: (typeId: string): { id: string; piiFields: string[] | null }[] =>
      statements.policies.all(typeId).map(({ id, piiFields }) => ({
        id,
        piiFields: piiFields === null ? null : (JSON.parse(piiFields) as string[]),
      })),
  };
}
