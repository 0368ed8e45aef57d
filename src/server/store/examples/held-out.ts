/** The answers of evaluated policies to the examples that they had not seen. */

import { z } from 'zod';
import { characters } from '../../../engine/domain/definition.ts';
import type { EarlierAnswer } from '../../../engine/findings/taken-out.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import type { HeldOutAnswer } from '../../../engine/measure/common-rows.ts';
import { isSetAsideLikelier } from '../../../engine/measure/reapply.ts';
import { type Basis, readBasis } from '../../../engine/measure/whole-decision.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { hashInput } from '../input-hash.ts';
import { defineRecord, flag, numbered, orNull, plain, trustedJson, values } from '../record.ts';

const option = characters(1, limits.maxNameLength);
/** The answers of a policy to the rows that it was measured on. */
export const heldOutTable = defineRecord('held_out_predictions', {
  policyId: numbered('policy_id', 'policy', 'policy'),
  exampleId: plain('example_id', values.id),
  expected: plain('expected', option),
  predicted: plain('predicted', option),
  probabilities: trustedJson('probabilities', z.array(z.number()).max(limits.maxOptions)),
  /** Null where it was not noted: the row counts as familiar. */
  unfamiliar: orNull(flag('unfamiliar')),
  /** Hash of the input that was measured; null where it was not noted. */
  inputHash: orNull(plain('input_hash', z.int())),
});

/** A held-out example; `input` is null when the example was deleted. */
export type HeldOutRecord = {
  exampleId: string;
  input: JsonObject | null;
  expected: string;
  predicted: string;
  confidence: number;
};
/** A held-out example as it was measured; `input` is null when the example was deleted or its input changed since. */
type MeasuredRecord = {
  input: JsonObject | null;
  expected: string;
  predicted: string;
  confidence: number;
  unfamiliar: boolean;
  /** Whether options that were set aside were likelier together, or the predicted one is never decided alone. */
  isSetAside: boolean;
  inputHash: number | null;
  /** The current label where the expected one was changed after a model's doubt; else null. */
  relabelled: string | null;
};
type Prediction = { predicted: string; confidence: number };
/** An example that two policies held out and that only one of them gets right. */
export type ComparedRecord = {
  exampleId: string;
  input: JsonObject | null;
  expected: string;
  first: Prediction;
  second: Prediction;
};
export type ComparisonCounts = {
  rows: number;
  bothRight: number;
  bothWrong: number;
  onlyFirstRight: number;
  onlySecondRight: number;
};
/** Which rows of a policy; null takes every label. */
type HeldOutFilter = { policyId: string; expected: string | null; predicted: string | null };
type DoubtFilter = { typeId: string; upTo: number; options: string };
export type PolicyPair = { first: string; second: string };

type Slice = { limit: number; offset: number };
type RawHeldOut = Omit<HeldOutRecord, 'input'> & { input: string | null };
/** `measuredColumns` of `held_out_predictions` as `p` and its example as `e`, beside the example's input. */
export type RawMeasured = Omit<MeasuredRecord, 'input' | 'unfamiliar' | 'isSetAside'> & {
  input: string | null;
  probabilities: string;
  unfamiliar: number | null;
};
type StoredBasis = Parameters<typeof readBasis>[0] & { isForeign: 0 | 1 };
type RawEarlier = Omit<RawMeasured, 'input' | 'inputHash' | 'relabelled'> & { inputHash: number; isThere: number };
type RawCompared = {
  exampleId: string;
  input: string | null;
  expected: string;
  first: string;
  second: string;
  firstConfidence: number;
  secondConfidence: number;
};

const confidenceSql = (alias: string) => `(SELECT max(value) FROM json_each(${alias}.probabilities))`;
/** The options that a policy, the one parameter, never decides alone. */
export const fewSql = `SELECT f.value FROM policies p, json_each(p.metrics, '$.rare_options.few') f WHERE p.id = ?`;
export const measuredColumns = `p.expected, p.predicted, ${confidenceSql('p')} AS confidence, p.probabilities,
  p.unfamiliar, p.input_hash AS inputHash,
  iif(e.first_decision IS NOT NULL AND e.decision <> p.expected, e.decision, NULL) AS relabelled`;
const inputSql = (alias: string) => `(SELECT input FROM examples WHERE id = ${alias}.example_id)`;
const toSlice = (page: number, pageSize: number): Slice => ({ limit: pageSize, offset: (page - 1) * pageSize });
const readInput = (json: string | null) => (json === null ? null : (JSON.parse(json) as JsonObject));

/** Whether a held-out row `h` is there with the input and the label that it was measured by. */
const isThereSql = `EXISTS (SELECT 1 FROM examples e WHERE e.id = h.example_id AND e.must = 0 AND e.decision IS NOT NULL
  AND coalesce(e.first_decision, e.decision) = h.expected AND input_hash(e.input) = h.input_hash)`;
/** Sentence beside figures that no training of this workbench measured. */
const cautionOfFile = 'This figure came with the file that the type was imported from: it was not measured here.';
/** Policies whose answers to rows that are gone are looked at, the newest with such a row that it got wrong. */
const maxEarlier = 5;

function prepareStatements(db: WorkbenchDatabase) {
  const matching = `FROM held_out_predictions p WHERE p.policy_id = @policyId
    AND (@expected IS NULL OR p.expected = @expected) AND (@predicted IS NULL OR p.predicted = @predicted)`;
  const both = `FROM held_out_predictions a JOIN held_out_predictions b
    ON b.example_id = a.example_id AND b.expected = a.expected AND b.policy_id = @second WHERE a.policy_id = @first`;
  return {
    count: db.prepare<[HeldOutFilter], number>(`SELECT count(*) ${matching}`).pluck(),
    page: db.prepare<[HeldOutFilter & Slice], RawHeldOut>(
      `SELECT p.example_id AS exampleId, ${inputSql('p')} AS input, p.expected, p.predicted,
         ${confidenceSql('p')} AS confidence ${matching}
       ORDER BY confidence DESC, p.example_id LIMIT @limit OFFSET @offset`,
    ),
    measured: db.prepare<[string, number], RawMeasured & { exampleId: string }>(
      `SELECT p.example_id AS exampleId, e.input, ${measuredColumns}
       FROM held_out_predictions p LEFT JOIN examples e ON e.id = p.example_id
       WHERE p.policy_id = ? ORDER BY p.example_id LIMIT ?`,
    ),
    probability: db.prepare<[number, string, string], { own: number }>(
      'SELECT probabilities ->> ? AS own FROM held_out_predictions WHERE policy_id = ? AND example_id = ?',
    ),
    basis: db
      .prepare<[string], string>(
        `SELECT json_object('split', metrics -> '$.split', 'other_ways', metrics -> '$.other_ways',
           'cautions', coalesce(metrics -> '$.cautions', json('[]')), 'isForeign', metrics IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM training_attempts WHERE policy_id IN (p.id, p.follows)))
         FROM policies p WHERE id = ?`,
      )
      .pluck(),
    few: db.prepare<[string], string>(fewSql).pluck(),
    input: db.prepare<[string], string>('SELECT input FROM examples WHERE id = ?').pluck(),
    doubted: db
      .prepare<[DoubtFilter], string>(
        `SELECT DISTINCT h.input_hash || ' ' || h.expected FROM policies p JOIN held_out_predictions h ON h.policy_id = p.id
         WHERE p.decision_type_id = @typeId AND p.version <= @upTo AND h.input_hash IS NOT NULL AND h.predicted <> h.expected
           AND h.expected IN (SELECT value FROM json_each(@options))
           AND (NOT EXISTS (SELECT 1 FROM policies o WHERE o.id IN (p.id, (SELECT id FROM policies
                  WHERE decision_type_id = @typeId AND version = @upTo))
                  AND (ifnull(o.training_config ->> '$.split.by', 'random') <> 'random'
                    OR ifnull(o.metrics ->> '$.split.rule', '') IN ('drawn', 'date', 'group')))
             OR NOT EXISTS (SELECT 1 FROM examples e WHERE e.id = h.example_id
                  AND coalesce(e.first_decision, e.decision) = h.expected AND input_hash(e.input) = h.input_hash))`,
      )
      .pluck(),
    labels: db
      .prepare<[string], string>("SELECT input_hash || ' ' || expected FROM held_out_predictions WHERE policy_id = ?")
      .pluck(),
    losing: db
      .prepare<[DoubtFilter & { limit: number }], string>(
        `SELECT p.id FROM policies p WHERE p.decision_type_id = @typeId AND p.version <= @upTo
           AND EXISTS (SELECT 1 FROM held_out_predictions h WHERE h.policy_id = p.id AND h.input_hash IS NOT NULL
             AND h.predicted <> h.expected AND h.expected IN (SELECT value FROM json_each(@options)) AND NOT ${isThereSql})
         ORDER BY p.version DESC LIMIT @limit`,
      )
      .pluck(),
    earlier: db.prepare<[Omit<DoubtFilter, 'typeId' | 'upTo'> & { policyId: string; limit: number }], RawEarlier>(
      `SELECT h.expected, h.predicted, ${confidenceSql('h')} AS confidence, h.probabilities, h.unfamiliar,
         h.input_hash AS inputHash, ${isThereSql} AS isThere
       FROM held_out_predictions h WHERE h.policy_id = @policyId AND h.input_hash IS NOT NULL
         AND h.expected IN (SELECT value FROM json_each(@options))
       ORDER BY h.example_id LIMIT @limit`,
    ),
    answers: db.prepare<[string], HeldOutAnswer>(
      'SELECT example_id AS exampleId, expected, predicted FROM held_out_predictions WHERE policy_id = ?',
    ),
    comparisonCounts: db.prepare<[PolicyPair], ComparisonCounts>(
      `SELECT count(*) AS rows,
         total(a.predicted = a.expected AND b.predicted = b.expected) AS bothRight,
         total(a.predicted <> a.expected AND b.predicted <> b.expected) AS bothWrong,
         total(a.predicted = a.expected AND b.predicted <> b.expected) AS onlyFirstRight,
         total(a.predicted <> a.expected AND b.predicted = b.expected) AS onlySecondRight ${both}`,
    ),
    differing: db.prepare<[PolicyPair & Slice], RawCompared>(
      `SELECT a.example_id AS exampleId, ${inputSql('a')} AS input, a.expected,
         a.predicted AS first, b.predicted AS second, ${confidenceSql('a')} AS firstConfidence,
         ${confidenceSql('b')} AS secondConfidence
       ${both} AND (a.predicted = a.expected) <> (b.predicted = b.expected)
       ORDER BY (a.predicted = a.expected) DESC, a.expected, a.example_id LIMIT @limit OFFSET @offset`,
    ),
  };
}

/** A measured row of a policy that never decides `few` alone; earlier versions count as familiar, unchanged. */
export function toMeasured(
  { input: json, unfamiliar, inputHash, probabilities, ...row }: RawMeasured,
  few: readonly string[],
): MeasuredRecord {
  const input = readInput(json);
  const isSame = input !== null && (inputHash === null || hashInput(input) === inputHash);
  const isSetAside = readSetAside(probabilities, row.predicted, few);
  return { ...row, inputHash, input: isSame ? input : null, unfamiliar: unfamiliar === 1, isSetAside };
}

const readSetAside = (probabilities: string, predicted: string, few: readonly string[]) =>
  isSetAsideLikelier(JSON.parse(probabilities) as number[]) || few.includes(predicted);

const noCounts: ComparisonCounts = { rows: 0, bothRight: 0, bothWrong: 0, onlyFirstRight: 0, onlySecondRight: 0 };

/** Reads and writes the held-out rows of policies. */
export function createHeldOutStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);

  return {
    /** One page of a policy's held-out rows, most confident first, with the number of all that match. */
    page(filter: HeldOutFilter, page: number, pageSize: number): { rows: HeldOutRecord[]; total: number } {
      const rows = statements.page.all({ ...filter, ...toSlice(page, pageSize) });
      return {
        rows: rows.map((row) => ({ ...row, input: readInput(row.input) })),
        total: statements.count.get(filter) ?? 0,
      };
    },
    /** Up to `limit` of a policy's held-out rows as measured; ids are random, so they are a sample. */
    listMeasured(policyId: string, limit: number): (MeasuredRecord & { exampleId: string })[] {
      const few = statements.few.all(policyId);
      const rows = statements.measured.all(policyId, limit);
      return rows.map(({ exampleId, ...row }) => ({ exampleId, ...toMeasured(row, few) }));
    },
    /**
     * Lists what policies of a type, up to a version, got wrong of given options, as `toMeasuredLabel` writes it. Where
     * one of the two did not hold out at random, a row that is there as it was may have changed its side: left out.
     */
    listDoubted: (typeId: string, upTo: number, options: readonly string[]): string[] =>
      statements.doubted.all({ typeId, upTo, options: JSON.stringify(options) }),
    /**
     * Lists what policies of a type, up to a version, answered to the rows that they held out, up to `limit` of each:
     * of those that got a row wrong that is not there any more, the newest first.
     */
    listEarlier(typeId: string, upTo: number, given: readonly string[], limit: number): EarlierAnswer[][] {
      const options = JSON.stringify(given);
      return statements.losing.all({ typeId, upTo, options, limit: maxEarlier }).map((policyId) => {
        const few = statements.few.all(policyId);
        const rows = statements.earlier.all({ policyId, options, limit });
        return rows.map(({ probabilities, unfamiliar, isThere, ...row }) => ({
          ...row,
          unfamiliar: unfamiliar === 1,
          isSetAside: readSetAside(probabilities, row.predicted, few),
          isThere: isThere === 1,
        }));
      });
    },
    /** How the rows came to be on which a policy was measured. */
    readBasis(policyId: string): Basis {
      const json = statements.basis.get(policyId);
      const facts: StoredBasis | null = json === undefined ? null : JSON.parse(json);
      const basis = readBasis(facts ?? { split: null, other_ways: null, cautions: [] });
      return facts?.isForeign ? { ...basis, cautions: [...basis.cautions, cautionOfFile] } : basis;
    },
    /** Lists what a policy was measured by, as `toMeasuredLabel` writes it. */
    listLabels: (policyId: string): string[] => statements.labels.all(policyId),
    /** The probability that a policy gave an option, by its place among those it was trained for, for a held-out row. */
    readProbability(policyId: string, exampleId: string, place: number): number {
      return statements.probability.get(place, policyId, exampleId)?.own ?? 0;
    },
    /** The input of an example as it is now; null when it was deleted. */
    readInput: (exampleId: string): JsonObject | null => readInput(statements.input.get(exampleId) ?? null),
    listAnswers: (policyId: string): HeldOutAnswer[] => statements.answers.all(policyId),
    /** Counts over the rows that both policies held out, and one page of those that only one of them gets right. */
    compare(pair: PolicyPair, page: number, pageSize: number): { counts: ComparisonCounts; rows: ComparedRecord[] } {
      const rows = statements.differing.all({ ...pair, ...toSlice(page, pageSize) });
      return {
        counts: statements.comparisonCounts.get(pair) ?? noCounts,
        rows: rows.map(({ exampleId, input, expected, first, second, firstConfidence, secondConfidence }) => ({
          exampleId,
          input: readInput(input),
          expected,
          first: { predicted: first, confidence: firstConfidence },
          second: { predicted: second, confidence: secondConfidence },
        })),
      };
    },
  };
}
