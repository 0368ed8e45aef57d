-- A yes or no, and a choice, are marked for what is asked, which several types may be: no mark is for whatever is asked.
-- Of a score the levels in their order stand in each question, so that its mark needs no wording.
DELETE FROM questions WHERE digest IS NULL AND kind <> 'score';
DROP INDEX questions_asked;
CREATE UNIQUE INDEX questions_asked ON questions (decision_type_id, digest) WHERE digest IS NOT NULL;
CREATE INDEX questions_by_digest ON questions (organisation_id, digest) WHERE digest IS NOT NULL;
