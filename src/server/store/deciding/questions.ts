/** The questions of decision models, and the types that answer them. */
import { z } from 'zod';
import { characters } from '../../../engine/domain/definition.ts';
import { limits } from '../../../engine/limits.ts';
import { maxShownCharacters, questionKinds } from '../../contract/deciding/questions.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { defineRecord, orNull, plain, type RecordOf, trustedJson, unarchived, values } from '../record.ts';

const option = characters(1, limits.maxNameLength);
const questionColumns = {
  id: plain('id', values.id),
  kind: plain('kind', z.literal(questionKinds)),
  /** Names what is asked; null: any score with these levels. */
  digest: orNull(plain('digest', values.sha256)),
  shown: orNull(plain('shown', z.string().max(maxShownCharacters))),
  /** The option of a predicate whose probability is asked; all options of a score, lowest first. */
  options: trustedJson('options', z.array(option).min(1).max(limits.maxOptions)),
  createdAt: plain('created_at', values.time),
  typeId: unarchived(plain('decision_type_id', values.text)),
  organisationId: unarchived(plain('organisation_id', values.text)),
};
export const questionTable = defineRecord('questions', questionColumns);
type QuestionRecord = RecordOf<typeof questionColumns>;
export type StoredQuestion = Omit<QuestionRecord, 'organisationId'>;

export type AnsweringType = { id: string; name: string; description: string; deployedAt: number; options: string[] };

type RawQuestion = Record<keyof QuestionRecord, unknown>;

const selectQuestions = `SELECT ${questionTable.select('q')}
  FROM questions q JOIN decision_types t ON t.id = q.decision_type_id`;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    ofOrganisation: db.prepare<[string], RawQuestion>(
      `${selectQuestions} WHERE q.organisation_id = ? AND t.deleted_at IS NULL ORDER BY q.seq`,
    ),
    ofType: db.prepare<[string], RawQuestion>(`${selectQuestions} WHERE q.decision_type_id = ? ORDER BY q.seq`),
    count: db.prepare<[string], number>('SELECT count(*) FROM questions WHERE organisation_id = ?').pluck(),
    asked: db
      .prepare<[string, string], number>(
        `SELECT 1 FROM questions q JOIN decision_types t ON t.id = q.decision_type_id
         WHERE q.organisation_id = ? AND q.digest = ? AND t.deleted_at IS NULL`,
      )
      .pluck(),
    removeSame: db.prepare(
      `DELETE FROM questions WHERE organisation_id = @organisationId AND digest = @digest AND decision_type_id = @typeId
         OR @digest IS NULL AND digest IS NULL AND decision_type_id = @typeId AND kind = @kind`,
    ),
    insert: questionTable.prepareInsert(db),
    remove: db.prepare<[string, string]>('DELETE FROM questions WHERE decision_type_id = ? AND id = ?'),
    answering: db.prepare<[string], Omit<AnsweringType, 'options'> & { versionId: string }>(
      `SELECT t.id, t.name, t.description, p.deployed_at AS deployedAt, p.version_id AS versionId
       FROM policies p JOIN decision_types t ON t.id = p.decision_type_id
       WHERE p.status = 'deployed' AND t.deleted_at IS NULL AND t.organisation_id = ? ORDER BY t.seq`,
    ),
    options: db
      .prepare<[string], string>(
        `SELECT json_extract(definition, '$.options') FROM decision_type_versions WHERE id = ?`,
      )
      .pluck(),
  };
}

/** Versions whose options stay known: they never change, and a definition is long to read. */
const maxKnownVersions = 10_000;

/** The queries of questions. */
export function createQuestionStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);
  const optionsByVersion = new Map<string, string[]>();
  const readOptions = (versionId: string): string[] => {
    const known = optionsByVersion.get(versionId);
    if (known !== undefined) return known;
    const options: string[] = JSON.parse(statements.options.get(versionId) ?? '[]');
    if (optionsByVersion.size >= maxKnownVersions) optionsByVersion.clear();
    optionsByVersion.set(versionId, options);
    return options;
  };
  return {
    /** The questions of all types of an organisation that are not deleted, oldest first. */
    list: (organisationId: string): StoredQuestion[] =>
      statements.ofOrganisation.all(organisationId).map(questionTable.read),
    listOfType: (typeId: string): StoredQuestion[] => statements.ofType.all(typeId).map(questionTable.read),
    count: (organisationId: string): number => statements.count.get(organisationId) ?? 0,
    /** Whether a type that is not deleted answers what is so named. */
    isAsked: (organisationId: string, digest: string): boolean =>
      statements.asked.get(organisationId, digest) !== undefined,
    /** Adds a question in place of the same one of the type. */
    put(organisationId: string, question: StoredQuestion): void {
      const { typeId, kind, digest } = question;
      statements.removeSame.run({ organisationId, typeId, kind, digest });
      statements.insert({ ...question, organisationId });
    },
    /** Takes a question away; false where the type has none of this id. */
    remove: (typeId: string, id: string): boolean => statements.remove.run(typeId, id).changes > 0,
    /** The types of an organisation that decide, oldest first. */
    listAnswering: (organisationId: string): AnsweringType[] =>
      statements.answering
        .all(organisationId)
        .map(({ versionId, ...type }) => ({ ...type, options: readOptions(versionId) })),
  };
}
