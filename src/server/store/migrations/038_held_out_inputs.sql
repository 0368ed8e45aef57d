-- An input that a model has measured is known again by its hash, also once its example was deleted.
CREATE INDEX held_out_inputs ON held_out_predictions (policy_id, input_hash, expected, predicted);
