/** Decisions that bundles made elsewhere come into the log, by the lines that `decision-edge serve --log` wrote. */
import { z } from 'zod';
import { parsePart } from '../../../door/errors/parse-part.ts';
import { createTurns } from '../../../door/turns.ts';
import { type Decision, stages } from '../../../engine/domain/decision.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import { pick } from '../../../engine/domain/records.ts';
import { type Result, WorkbenchError } from '../../../engine/errors.ts';
import { jsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { errorKinds } from '../../../engine/rules/evaluation/values.ts';
import { checkStrictness } from '../../../engine/strict-json/json-body.ts';
import { parseJsonText } from '../../../engine/strict-json/json-faults.ts';
import type { Caller } from '../../auth/caller.ts';
import { describeDetail } from '../../contract/client.ts';
import { uuid } from '../../contract/common.ts';
import type { LogImport } from '../../contract/deciding/logs.ts';
import type { Foundation } from '../../foundation.ts';
import type { NewLoggedDecision } from '../../store/deciding/log-writer.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { nameCaller } from '../releases.ts';
import { type Brought, decideAgain } from './decide-again.ts';

const dayMs = 24 * 3600 * 1000;
/** The clock of another machine may be ahead by so much. */
const maxAheadMs = dayMs;
const minCreatedAt = Date.UTC(2000);
const maxLatencyMs = 3_600_000;
const maxExplanationLength = 2_000;
/** Problems that are reported of one line. */
const maxProblems = 3;

const name = z.string().min(1).max(limits.maxNameLength);
const share = z.number().min(0).max(1);

/** The parts of a line that are kept; the release that its digest names says the rest. */
const lineSchema = z.object({
  id: uuid,
  request_id: z.string().regex(/^[\x21-\x7e][\x20-\x7e]{0,127}$/, 'must be 1 to 128 printable ASCII characters'),
  decision_type: z.string().min(1).max(limits.maxTypeNameLength),
  digest: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits'),
  input: jsonObject,
  decision: name,
  confidence: share,
  /** Left out by earlier versions, whose confidence is the classifier's in its own choice. */
  classifier_choice: name.nullable().default(null),
  stage: z.enum(stages).exclude(['escalation']),
  reason_codes: z.array(name).max(limits.maxReasonCodesPerExample),
  class_probabilities: z
    .record(name, share)
    .refine((shares) => Object.keys(shares).length <= limits.maxOptions, `takes at most ${limits.maxOptions} options`),
  rules_triggered: z.array(name).max(limits.maxRules),
  /** Left out by earlier versions. */
  rule_errors: z
    .array(z.object({ name, error: z.enum(errorKinds) }))
    .max(limits.maxRules)
    .default([]),
  escalated: z.boolean(),
  fallback_used: z.boolean(),
  unfamiliar: z.boolean(),
  explanation: z.string().min(1).max(maxExplanationLength),
  latency_ms: z.number().min(0).max(maxLatencyMs),
  created_at: z.iso.datetime({ offset: true }),
});
type Line = z.output<typeof lineSchema>;
type EdgeRecord = { type: DecisionTypeRecord; logged: NewLoggedDecision & { edgeId: string } };
type Found = { type: DecisionTypeRecord; release: ReleaseRecord; definition: Definition };

/**
 * Adds the decisions of lines to the log in one transaction, each once. It leaves out, and counts, those that are in it
 * already or that retention would remove, and reports those of unknown releases, those that are no proper lines and
 * those that their release decides otherwise.
 */
export async function importLog(
  deps: Foundation,
  caller: Caller,
  { lines, file }: { lines: readonly string[]; file: string | null },
  retentionNowMs: number,
): Promise<LogImport> {
  const { store, events, clock } = deps;
  const counts: LogImport = { added: 0, known: 0, expired: 0, unknown: [], refused: [] };
  const findRelease = createReleaseFinder(deps, caller);
  const accepted: (Found & { line: Line; index: number })[] = [];
  const takeTurns = createTurns(clock);
  for (const [index, text] of lines.entries()) {
    await takeTurns();
    const read = readLine(text, clock.now());
    if (!read.ok) {
      counts.refused.push({ index, message: read.problems.join('; ') });
      continue;
    }
    const line = read.value;
    const found = findRelease(line);
    if (found === null) {
      countUnknown(counts.unknown, line);
      continue;
    }
    const misfit = describeMisfit(line, found.definition);
    if (misfit !== null) counts.refused.push({ index, message: misfit });
    else if (Date.parse(line.created_at) < retentionNowMs - (found.type.retentionDays ?? Infinity) * dayMs)
      counts.expired += 1;
    else accepted.push({ ...found, line, index });
  }
  const judged = await decideAgain(deps, caller, accepted.map(toBrought));
  const from = { importedBy: nameCaller(store, caller), importedFile: file, apiKeyId: caller.apiKeyId };
  const records = accepted.flatMap(({ index, line, ...found }): EdgeRecord[] => {
    const verdict = judged.get(index);
    if (verdict?.ok) return [{ type: found.type, logged: { ...toLogged(deps, found, line, verdict.made), ...from } }];
    counts.refused.push({ index, message: verdict?.message ?? 'it was not looked at' });
    return [];
  });
  counts.refused.sort((a, b) => a.index - b.index);
  await store.writeLock.whenFree();
  const added = store.transaction(() => records.filter(({ logged }) => store.logs.addOnce(logged)));
  counts.added = added.length;
  counts.known = records.length - added.length;
  for (const [{ id }, { length }] of Map.groupBy(added, ({ type }) => type)) {
    events.tell(caller.organisationId, { event: 'logs', decision_type_id: id, added: length });
  }
  return counts;
}

/** Reads a line by its schema, as strictly as a body; a problem names its place. */
function readLine(text: string, nowMs: number): Result<Line, string> {
  const parsed = parseJsonText(text);
  if (!parsed.ok) {
    return { ok: false, problems: [`is not JSON: ${parsed.fault.message} at column ${parsed.fault.column}`] };
  }
  try {
    checkStrictness(parsed.value, text);
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    return {
      ok: false,
      problems: error.details?.map(describeDetail) ?? [error.message.replace(/The body|the body/, 'it')],
    };
  }
  const line = parsePart(lineSchema, parsed.value, 'body');
  if (!line.ok) return { ok: false, problems: line.problems.slice(0, maxProblems).map(describeDetail) };
  const createdAt = Date.parse(line.value.created_at);
  if (createdAt > nowMs + maxAheadMs) return { ok: false, problems: ['created_at lies in the future'] };
  if (createdAt < minCreatedAt) return { ok: false, problems: ['created_at lies before the year 2000'] };
  return line;
}

/** Finds the release that a line names by its digest; of several types that have it, the one of the line's name. */
function createReleaseFinder({ store }: Foundation, { organisationId }: Caller): (line: Line) => Found | null {
  const found = new Map<string, Found[]>();
  return ({ digest, decision_type }) => {
    let known = found.get(digest);
    if (known === undefined) {
      known = store.releases.findByDigest(digest, organisationId).flatMap(({ typeId, number }): Found[] => {
        const type = store.decisionTypes.find(typeId);
        const release = store.releases.find(typeId, number);
        const version = release && store.decisionTypes.getVersion(typeId, release.versionId);
        return type && release && version ? [{ type, release, definition: version.definition }] : [];
      });
      found.set(digest, known);
    }
    const [first, another] = known;
    return (another === undefined ? first : known.find(({ type }) => type.name === decision_type)) ?? null;
  };
}

/** Says which of a line's names its release does not have; null where it has them all. */
function describeMisfit(line: Line, { options, reason_codes: codes }: Definition): string | null {
  const named = [line.decision, line.classifier_choice ?? line.decision, ...Object.keys(line.class_probabilities)];
  const option = named.find((each) => !options.includes(each));
  if (option !== undefined) return `${JSON.stringify(option)} is no option of its release`;
  const code = line.reason_codes.find((each) => !codes.includes(each));
  return code === undefined ? null : `${JSON.stringify(code)} is no reason code of its release`;
}

function countUnknown(unknown: LogImport['unknown'], { digest, decision_type }: Line): void {
  const same = unknown.find((each) => each.digest === digest && each.decision_type === decision_type);
  if (same === undefined) unknown.push({ digest, decision_type, lines: 1 });
  else same.lines += 1;
}

const toBrought = ({ type, release, line, index }: Found & { line: Line; index: number }): Brought => {
  const { classifier_choice: choice, class_probabilities: probabilities, confidence } = line;
  const own = choice === null ? confidence : (probabilities[choice] ?? confidence);
  const same = pick(line, ['decision', 'stage', 'reason_codes', 'rules_triggered', 'fallback_used', 'unfamiliar']);
  const said = { ...same, class_probabilities: probabilities, escalate: line.escalated, confidence: own };
  return { index, typeName: type.name, release: release.number, input: line.input, said };
};

/** The record of a line; what was decided again is believed as it was made here. */
function toLogged(
  { auth }: Foundation,
  { type, release }: Found,
  line: Line,
  made: Decision | null,
): Omit<EdgeRecord['logged'], 'apiKeyId'> {
  return {
    edgeId: line.id,
    decisionTypeSeq: type.seq,
    requestId: line.request_id,
    input: auth.redact(line.input, type.piiFields),
    decision: line.decision,
    confidence: made?.confidence ?? line.confidence,
    classifierChoice: made === null ? line.classifier_choice : made.classifier_choice,
    stage: line.stage,
    reasonCodes: line.reason_codes,
    classProbabilities: line.class_probabilities,
    rulesTriggered: line.rules_triggered,
    ruleErrors: line.rule_errors,
    escalated: line.escalated,
    fallbackUsed: line.fallback_used,
    unfamiliar: line.unfamiliar,
    policyVersion: `v${release.policyVersion}`,
    versionNumber: release.versionNumber,
    release: release.number,
    explanation: made?.explanation ?? line.explanation,
    latencyMs: line.latency_ms,
    createdAt: Date.parse(line.created_at),
    audit: type.audit,
  };
}
