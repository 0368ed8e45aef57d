/** The messages between the server and the process that looks at the examples. */

import type { Readings } from '../../engine/domain/definition.ts';
import type { JudgedPart } from '../../engine/domain/metrics.ts';
import type { SavedRules } from '../../engine/findings/rule-disagreements.ts';
import type { DecidingSettings } from '../../engine/measure/reapply.ts';
import type { RulesFile } from '../../engine/rules/rules-file.ts';
import type { SearchedType } from '../../engine/training/search-labels.ts';
import type { judgedRows } from '../contract/policies/evaluation.ts';

/** `readings` of an order: how the type reads what is stored, with which the reader is opened. */
export type FindingsOrder = {
  kind: 'findings';
  typeId: string;
  saved: SavedRules;
  piiFields: string[];
  readings: Readings;
  /** The newest policy that was trained, whose held-out rows are kept apart; null without one. */
  policyId: string | null;
  /** The newest search of suspect labels; null without one. */
  search: { id: string; createdAt: number } | null;
};

export type SlicesOrder = {
  kind: 'slices';
  typeId: string;
  policyId: string;
  policyVersion: string;
  rows: (typeof judgedRows)[number];
  judged: JudgedPart;
  /** Whether the policy was trained only on examples that no rule decides. */
  leavesRuled: boolean;
  settings: Omit<DecidingSettings, 'rules'> & { rules: RulesFile };
  minRows: number;
  piiFields: string[];
  readings: Readings;
};

export type DriftOrder = {
  kind: 'drift';
  typeId: string;
  typeSeq: number;
  piiFields: string[];
  readings: Readings;
  /** The end of this week, in milliseconds. */
  nowMs: number;
  /** The deployed policy as logs name it, and the share of inputs like the examples that it calls unfamiliar. */
  familiarity: { policyVersion: string; expected: number } | null;
};

export type LabelsOrder = SearchedType & {
  kind: 'labels';
  resourcesDir: string;
  encodingsDir: string;
  typeId: string;
};
export type AnalysisOrder = FindingsOrder | SlicesOrder | DriftOrder | LabelsOrder;
/** Server to child, once. */
export type AnalysisRequest = { databaseFile: string; order: AnalysisOrder };

/** Child to server: any number of `progress` (`share` from 0 to 1), then one of the others. */
export type AnalysisReply<Result> =
  | { kind: 'progress'; share: number }
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; fault: string };
