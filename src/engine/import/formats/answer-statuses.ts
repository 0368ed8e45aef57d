/** Statuses of answers in the words of labelling tools: what was submitted and accepted counts, and nothing else. */
import type { Json } from '../../json.ts';

/** It was submitted, but whoever asked for it has not looked at it yet. */
const submitted = 'submitted|completed?|done|finished|labell?ed|annotated';
const accepted =
  'validated|accepted|approved|auto approved|fixed and accepted|reviewed|confirmed|verified|final|finali[sz]ed|published|gold';
const open =
  'draft|default|edited|new|open|todo|to do|to label|queued|assigned|unassigned|created|not started|unlabell?ed|unannotated|in progress|ongoing|pending|partial|in review|to review|needs review|awaiting review|under review|rework|returned|reopened';
const refused =
  'rejected|discarded|skipped|cancell?ed|ignored|expired|abandoned|declined|failed|invalid|flagged|deleted';

const toWords = (words: string) => new RegExp(`^(?:${words})$`);
const waiting = toWords(submitted);
const counted = toWords(accepted);
const known = toWords([submitted, accepted, open, refused].join('|'));
const fold = (status: Json | undefined) =>
  String(status)
    .trim()
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replace(/[\s_-]+/g, ' ')
    .toLowerCase();

/** Whether an answer was accepted by whoever asked for it. */
export const isAccepted = (status: Json | undefined): boolean => counted.test(fold(status));
/** Whether what has this status counts: it was submitted, not thrown away, refused or left open. */
export const isDone = ({ status }: { status?: Json | undefined }): boolean =>
  status == null || status === '' || waiting.test(fold(status)) || isAccepted(status);
/** Whether a text is a status in the words of some tool; of words that no tool has, none is. */
export const isStatus = (status: Json | undefined): boolean => known.test(fold(status));
