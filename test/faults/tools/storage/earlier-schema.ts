/** Takes from a database what the migrations since 0.2.0 have added. */
export const backToSchema32 = `
  ALTER TABLE policies DROP COLUMN snapshot_last_seq;
  DROP TABLE drawn_deletions;
  DROP TABLE log_chain;
  ALTER TABLE decision_logs DROP COLUMN link;
  DROP TABLE example_undos;
  DROP TABLE example_undo_parts;
  CREATE TABLE example_undos (
    token TEXT PRIMARY KEY,
    decision_type_id TEXT NOT NULL REFERENCES decision_types(id),
    rows TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    option_change TEXT
  ) STRICT;
  ALTER TABLE decision_types DROP COLUMN groups;
  ALTER TABLE decision_types DROP COLUMN one_case;
  ALTER TABLE decision_logs DROP COLUMN imported_by;
  ALTER TABLE decision_logs DROP COLUMN imported_file;
  DROP TABLE activity;
  DROP TRIGGER examples_keep_pinned;
  DROP TRIGGER examples_keep_pinned_ones;
  ALTER TABLE api_keys DROP COLUMN made_by;
  ALTER TABLE api_keys DROP COLUMN holder;
  DROP TABLE authors;
  DROP TRIGGER examples_count_new;
  DROP TRIGGER examples_count_gone;
  DROP TRIGGER examples_count_moved;
  DROP TABLE example_counts;
  DROP INDEX examples_open;
  DROP INDEX examples_corrected;
  ALTER TABLE decision_logs DROP COLUMN classifier_choice;
  ALTER TABLE log_blocks RENAME TO log_blocks_by_release;
  DROP INDEX log_blocks_by_block;
  CREATE TABLE log_blocks (
    decision_type_seq INTEGER NOT NULL,
    block INTEGER NOT NULL,
    decision TEXT NOT NULL,
    escalated INTEGER NOT NULL,
    n INTEGER NOT NULL,
    confidence_sum REAL NOT NULL,
    latency_sum REAL NOT NULL,
    min_confidence REAL NOT NULL,
    max_confidence REAL NOT NULL,
    min_created_at INTEGER NOT NULL,
    max_created_at INTEGER NOT NULL,
    min_seq INTEGER NOT NULL,
    max_seq INTEGER NOT NULL,
    confidences BLOB NOT NULL,
    PRIMARY KEY (decision_type_seq, block, decision, escalated)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO log_blocks SELECT decision_type_seq, block, decision, escalated, n, confidence_sum, latency_sum,
    min_confidence, max_confidence, min_created_at, max_created_at, min_seq, max_seq, confidences
    FROM log_blocks_by_release;
  DROP TABLE log_blocks_by_release;
  CREATE INDEX log_blocks_by_block ON log_blocks (block);
  DROP TRIGGER examples_note_label;
  DROP TRIGGER examples_forget_labels;
  DROP TABLE label_history;
  DROP TABLE second_readings;
  DROP INDEX examples_by_must;
  ALTER TABLE examples DROP COLUMN must;
  DROP INDEX held_out_inputs;
  DROP INDEX examples_by_first_decision;
  ALTER TABLE training_snapshots DROP COLUMN first_decision;
  ALTER TABLE examples DROP COLUMN first_decision;
  ALTER TABLE policies DROP COLUMN follows;
  PRAGMA foreign_keys = OFF;
  ALTER TABLE label_checks RENAME TO label_checks_newer;
  CREATE TABLE label_checks (
    policy_id TEXT NOT NULL REFERENCES policies (id),
    example_id TEXT NOT NULL,
    label TEXT NOT NULL,
    probability REAL NOT NULL,
    likelier TEXT NOT NULL,
    likelier_probability REAL NOT NULL,
    doubt REAL NOT NULL,
    suspect INTEGER NOT NULL,
    PRIMARY KEY (policy_id, example_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO label_checks
    SELECT search_id, example_id, label, probability, likelier, likelier_probability, doubt, suspect
    FROM label_checks_newer WHERE search_id IN (SELECT id FROM policies);
  DROP TABLE label_checks_newer;
  DROP TABLE label_searches;
  ALTER TABLE decision_types DROP COLUMN draft;
  ALTER TABLE decision_types DROP COLUMN publish_by_hand;
  DROP TABLE questions;
  DROP TABLE release_aliases;
  DROP TABLE releases;
  DROP INDEX decision_logs_of_edge;
  ALTER TABLE decision_logs DROP COLUMN edge_id;
  ALTER TABLE decision_logs DROP COLUMN release;
  DROP INDEX audit_draws_by_week;
  ALTER TABLE audit_draws DROP COLUMN rank;
  ALTER TABLE audit_draws DROP COLUMN week;
  PRAGMA user_version = 32;
`;
