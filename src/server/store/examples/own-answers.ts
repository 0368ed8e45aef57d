/** By what a training sees that labels are answers of a policy. */
import type { AnswersElsewhere, TrainRequest } from '../../../engine/training/request.ts';
import type { WorkbenchDatabase } from '../database.ts';

type RawAnswer = AnswersElsewhere['answers'][number] & { id: string; policy: string };

/** Policies of other types whose answers a training gets, the newest, and how many answers in all. */
const maxPolicies = 10;
const maxAnswers = 20_000;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    answersFrom: db
      .prepare<[string], number | null>(
        `SELECT min(completed_at) FROM policies WHERE decision_type_id = ? AND bundle_sha256 IS NOT NULL`,
      )
      .pluck(),
    elsewhere: db.prepare<[string, string, number, number], RawAnswer>(
      `SELECT p.id, 'v' || p.version || ' of «' || t.name || '»' AS policy, h.input_hash AS inputHash, h.expected, h.predicted
       FROM (SELECT * FROM policies WHERE organisation_id = ? AND decision_type_id <> ? AND bundle_sha256 IS NOT NULL
         ORDER BY seq DESC LIMIT ?) p
       JOIN decision_types t ON t.id = p.decision_type_id JOIN held_out_predictions h ON h.policy_id = p.id
       WHERE h.input_hash IS NOT NULL LIMIT ?`,
    ),
  };
}

/** Reads when the first policy of a type could answer, and what those of other types answered. */
export function createOwnAnswersStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);
  return {
    read(typeId: string, organisationId: string): Pick<TrainRequest, 'answersFrom' | 'elsewhere'> {
      const rows = statements.elsewhere.all(organisationId, typeId, maxPolicies, maxAnswers);
      const answersFrom = statements.answersFrom.get(typeId);
      return {
        ...(answersFrom == null ? {} : { answersFrom }),
        elsewhere: [...Map.groupBy(rows, ({ id }) => id).values()].map((ofPolicy) => ({
          policy: ofPolicy[0]?.policy ?? '',
          answers: ofPolicy.map(({ inputHash, expected, predicted }) => ({ inputHash, expected, predicted })),
        })),
      };
    },
  };
}
