-- Which type answers a question follows from names, options and marks alone: what a call once settled goes.
DELETE FROM questions WHERE automatic = 1;
ALTER TABLE questions DROP COLUMN automatic;
