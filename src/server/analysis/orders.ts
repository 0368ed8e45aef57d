/** Orders to the process that looks at all examples of a type. */

import type { Readings } from '../../engine/domain/definition.ts';
import type { JudgedPart } from '../../engine/domain/metrics.ts';
import type { SavedRules } from '../../engine/findings/search-data.ts';
import type { DecidingSettings } from '../../engine/measure/reapply.ts';
import type { RulesFile } from '../../engine/rules/rules-file.ts';
import type { SearchedType } from '../../engine/training/search-labels.ts';
import type { judgedRows } from '../contract/policies/evaluation.ts';

/** Common to all: the type that is looked at, and how it reads what is stored. */
export type LookOrder = { databaseFile: string; typeId: string; readings: Readings; piiFields: string[] };

export type FindingsOrder = LookOrder & {
  saved: SavedRules;
  /** The newest policy that was trained, whose held-out rows are kept apart; null without one. */
  policyId: string | null;
  /** The newest search of suspect labels; null without one. */
  search: { id: string; createdAt: number } | null;
};

export type SlicesOrder = LookOrder & {
  policyId: string;
  policyVersion: string;
  rows: (typeof judgedRows)[number];
  judged: JudgedPart;
  /** Whether the policy was trained only on examples that no rule decides. */
  leavesRuled: boolean;
  settings: Omit<DecidingSettings, 'rules'> & { rules: RulesFile };
  minRows: number;
};

export type DriftOrder = LookOrder & {
  typeSeq: number;
  /** The end of this week, in milliseconds. */
  nowMs: number;
  /** The deployed policy as logs name it, and the share of inputs like the examples that it calls unfamiliar. */
  familiarity: { policyVersion: string; expected: number } | null;
};

export type LabelsOrder = LookOrder & SearchedType & { resourcesDir: string; encodingsDir: string };
