/** The messages between the server and its labelling child. */
import type { Readings } from '../../../engine/domain/definition.ts';
import type { ProgramTextModel } from '../../../engine/domain/training.ts';
import type { QueueOrder } from '../../../engine/labelling/choose-rows.ts';
import type { NextRow, RowState, SimilarRows, Suggestion } from '../../../engine/labelling/labelling-model.ts';

/** The order to make a model; another one with the same `typeId` replaces it. */
export type ModelSettings = {
  typeId: string;
  optionCount: number;
  optionTexts: string[];
  inputSchemaJson: string;
  readings: Readings;
  /** Paths of the fields that only tell rows apart: what is left of a row draws it. */
  identifying: string[][];
};

export type StatePair = [id: string, state: RowState];
export type ModelRow = { id: string; inputJson: string; state: RowState };

/** A question of the server; each has one answer, in any order. */
export type LabellingQuestion =
  | { kind: 'open'; settings: ModelSettings }
  | { kind: 'forget'; typeId: string }
  /** The present examples, in several parts: states change, and the last part removes rows that no part names. */
  | { kind: 'states'; typeId: string; pairs: StatePair[]; first: boolean; last: boolean }
  /** Rows that will come, long before their texts are read: their numbers say which are drawn. */
  | { kind: 'number'; typeId: string; rows: ModelRow[] }
  | { kind: 'rows'; typeId: string; rows: ModelRow[]; last: boolean }
  | { kind: 'state'; typeId: string; id: string; state: RowState }
  | { kind: 'remove'; typeId: string; id: string }
  | { kind: 'next'; typeId: string; count: number; taken: string[]; order: QueueOrder }
  | { kind: 'suggest'; typeId: string; ids: string[] }
  | { kind: 'nearest'; typeId: string; inputJson: string; count: number }
  | { kind: 'similar'; typeId: string; id: string; count: number; among: SimilarRows };

export type LabellingAnswers = {
  open: null;
  forget: null;
  /** Ids whose rows the model does not have. */
  states: string[];
  /** The permanent random number of each row. */
  number: number[];
  /** Answered when there is room for more, or all are read in; false where the text encoder could not be asked. */
  rows: boolean;
  state: null;
  remove: null;
  next: { rows: NextRow[]; read: number; labels: number; drawn: number };
  suggest: (Suggestion | null)[];
  /** The labelled rows most like an input; none while there is no model. */
  nearest: { id: string; similarity: number }[];
  /** null while the model does not know the row. */
  similar: { id: string; similarity: number }[] | null;
};

export type ToLabellingChild =
  | { kind: 'start'; resourcesDir: string; encodingsDir: string }
  | { kind: 'question'; id: number; question: LabellingQuestion }
  /** null where the encoder could not be asked. */
  | { kind: 'embeddings'; id: number; embeddings: Float32Array[] | null };
export type FromLabellingChild =
  | { kind: 'answer'; id: number; answer: unknown }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'embed'; id: number; textModel: ProgramTextModel; texts: readonly (readonly number[])[] };
