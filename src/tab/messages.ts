/** Messages between the page and its worker, which reads, trains, decides and writes. */

import type { EdgeDecision, EdgeField, Input } from '../edge/api.ts';
import type { WholeDecision } from '../engine/measured.ts';

export type Order =
  | { kind: 'open'; name: string; bytes: Uint8Array }
  /** `begin` learns some of many rows, for a first number; the whole is then for another worker. */
  | { kind: 'train'; answer: string; begin: boolean }
  | { kind: 'label'; labels: readonly GivenLabel[] }
  | { kind: 'decide'; input: Input }
  | { kind: 'save'; as: SavedAs; page: string };

export type SavedAs = 'page' | 'bundle' | 'project';
/** The label of a row without an answer, by its place among the examples; null takes one back. */
export type GivenLabel = { row: number; decision: string | null };

export type Report =
  | { kind: 'opened'; table: OpenedTable }
  | { kind: 'progress'; fraction: number; message: string }
  | { kind: 'trained'; result: TrainedResult }
  | { kind: 'decided'; decided: EdgeDecision }
  | { kind: 'saved'; name: string; type: string; bytes: Uint8Array }
  | { kind: 'failed'; message: string };

/** A table whose answer is to be said; `certain` is a column that the file itself tells to be the answer. */
export type OpenedTable = {
  name: string;
  sentences: string[];
  certain: string | null;
  candidates: { column: string; why: string; values: [value: string, rows: number][] }[];
};

export type HeldOutLine = { expected: string; predicted: string; probability: number; input: Input };
export type OpenLine = { row: number; input: Input };

/** A trained policy as the page shows it. `whole` is null where no row was held out. */
export type TrainedResult = {
  name: string;
  options: string[];
  learned: number;
  /** The rows with an answer, where the policy is of some of them alone. */
  ofRows: number | null;
  seconds: number | null;
  whole: WholeDecision | null;
  confusion: { confusion_labels: string[]; confusion_matrix: number[][] };
  notes: string[];
  heldOut: HeldOutLine[];
  open: OpenLine[];
  fields: readonly EdgeField[];
};
