/** Parts of the orders between the server and its labelling child. */
import type { Readings } from '../../../engine/domain/definition.ts';
import type { ProgramTextModel } from '../../../engine/domain/training.ts';
import type { QueueOrder } from '../../../engine/labelling/choose-rows.ts';
import type { NextRow, RowState } from '../../../engine/labelling/labelling-model.ts';

/** The order to make a model; another one with the same `typeId` replaces it. */
export type ModelSettings = {
  typeId: string;
  optionCount: number;
  optionTexts: string[];
  inputSchemaJson: string;
  readings: Readings;
  /** Paths of the fields that only tell rows apart: what is left of a row draws it. */
  identifying: string[][];
  resourcesDir: string;
  encodingsDir: string;
};

export type StatePair = [id: string, state: RowState];
export type ModelRow = { id: string; inputJson: string; state: RowState };
export type NextOrder = { count: number; taken: string[]; order: QueueOrder };
export type NextRows = { rows: NextRow[]; read: number; labels: number; drawn: number };
export type AlikeRow = { id: string; similarity: number };

/** Orders that the child gives the server; null where the encoder could not be asked. */
export type EmbedOrders = {
  embed(order: { textModel: ProgramTextModel; texts: readonly (readonly number[])[] }): Promise<Float32Array[] | null>;
};
