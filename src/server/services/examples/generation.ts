import { toUnknownOption, toValidationError } from '../../../door/errors/validation-error.ts';
import { isBareFallback } from '../../../engine/decide/compose-decision.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import { type JsonObject, toCanonicalJson } from '../../../engine/json.ts';
import { createEmbeddedTeacher, type TeacherMaterial } from '../../../engine/training/generate/embedded-teacher.ts';
import type { Proposal } from '../../../engine/training/request.ts';
import { compilePlacement } from '../../../engine/units/hold-out.ts';
import { splitRows } from '../../../engine/units/sides.ts';
import type { Caller } from '../../auth/caller.ts';
import { collectProposals, type OptionCounts, type Teacher } from '../../connections/collect-proposals.ts';
import { createRemoteTeacher } from '../../connections/remote-teacher.ts';
import type { Foundation } from '../../foundation.ts';
import { newExample } from '../../preparation/examples/new-example.ts';
import type { ConnectionRecord } from '../../store/account/connections.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { chargeCredits } from '../account/connections.ts';
import { findDecisionType } from '../types/decision-types.ts';
import { addExamples } from './examples.ts';

/** Examples that a teacher learns from at most, the newest ones: reading them must not hold up decisions. */
const maxSources = 3_000;

/**
 * Makes, stores and charges `count` examples or none, of one option or the rarest. Throws `validation_error` (option),
 * `quota_exceeded`, `insufficient_credits`, `decision_type_not_found`, and `conflict` or `unavailable` for fewer.
 */
export async function generateExamples(
  deps: Foundation,
  caller: Caller,
  typeId: string,
  { count, option }: { count: number; option?: string | undefined },
  alongside?: (examples: readonly ExampleRecord[]) => void,
): Promise<ExampleRecord[]> {
  const { metering } = deps;
  const type = findDecisionType(deps, caller, typeId);
  if (option !== undefined && !type.activeVersion.definition.options.includes(option)) {
    throw toValidationError([toUnknownOption(['body', 'option'], type.activeVersion.definition.options)]);
  }
  metering.checkCredits(caller, metering.prices.per100Tokens, 'a generation');
  const connection = deps.runtime.modelConnections.findForGeneration(caller.organisationId);
  const teacher = connection === null ? openEmbeddedTeacher(deps, type) : openRemoteTeacher(deps, type, connection);
  const counts = countWanted(deps, type, option, connection === null);
  const proposals = await collectProposals(teacher, counts, count, createPolicyCheck(deps, type));
  if (proposals.length < count) throw toShortfallError(proposals.length, count, connection);
  await deps.store.writeLock.whenFree();
  return storeProposals(deps, caller, type, { proposals, tokens: teacher.tokens(proposals) }, alongside);
}

function storeProposals(
  deps: Foundation,
  caller: Caller,
  type: DecisionTypeRecord,
  { proposals, tokens }: { proposals: readonly Proposal[]; tokens: number },
  alongside?: (examples: readonly ExampleRecord[]) => void,
): ExampleRecord[] {
  const { metering } = deps;
  const credits = Math.ceil(tokens / 100) * metering.prices.per100Tokens;
  const createdAt = deps.clock.now();
  const { reason_codes } = type.activeVersion.definition;
  const examples = proposals.map(({ input, decision, reasonCodes }) => {
    const known = reasonCodes.filter((code) => reason_codes.includes(code));
    return newExample(deps, type, { input, decision, reasonCodes: known, source: 'synthetic' }, createdAt);
  });
  deps.store.transaction(() => {
    // The type may have been deleted while the teacher worked.
    findDecisionType(deps, caller, type.id);
    metering.checkCredits(caller, credits, 'this generation');
    addExamples(deps, type, examples, ['body', 'count'], () => alongside?.(examples));
    chargeCredits(deps, {
      organisationSeq: caller.organisationSeq,
      operation: 'generation',
      credits,
      decisionTypeId: type.id,
      referenceId: null,
      createdAt,
    });
  });
  return examples;
}

function toShortfallError(made: number, count: number, connection: ConnectionRecord | null): WorkbenchError {
  const shortfall = `Only ${made} of ${count} examples could be made`;
  return connection === null
    ? new WorkbenchError(
        'conflict',
        `${shortfall} from what is known about the decision type. Ask for fewer, add labelled examples that differ, or ` +
          'connect a model, which writes sentences of its own.',
      )
    : new WorkbenchError(
        'unavailable',
        `${shortfall}: what else the model connection "${connection.name}" answered could not be used. ` +
          'Nothing was stored.',
      );
}

/** Selects the examples that a teacher may see: the training side only, so that no held-out row leaks. */
function readMaterial(deps: Foundation, type: DecisionTypeRecord): TeacherMaterial {
  const { definition } = type.activeVersion;
  const { examples, total } = deps.store.examples.page(type.id, { labelled: true }, 1, maxSources);
  const known = examples.filter(({ decision }) => decision !== null && definition.options.includes(decision));
  const split = deps.store.policies.readNewestSplit(type.id);
  const place = compilePlacement(split);
  const { train, test } = splitRows(
    known.map(({ input, decision, source, logId, audited, test }) => ({
      content: toCanonicalJson(input),
      label: definition.options.indexOf(decision ?? ''),
      source: logId === null || audited ? source : 'correction',
      test,
      ...place(input),
    })),
    split.by,
  );
  const select = (positions: readonly number[]) => positions.flatMap((position) => known[position] ?? []);
  return {
    definition,
    description: type.description,
    examples: select(train),
    avoid: select(test).map(({ input }) => input),
    seed: total,
  };
}

/** Counts the examples of the options to ask for; the embedded teacher leaves out those it knows nothing of. */
function countWanted(
  deps: Foundation,
  type: DecisionTypeRecord,
  option: string | undefined,
  isEmbedded: boolean,
): OptionCounts {
  const counts = deps.store.examples.countByLabel(type.id);
  const { options } = type.activeVersion.definition;
  const labelled = isEmbedded ? options.filter((each) => counts.has(each)) : [];
  const wanted = option === undefined ? (labelled.length > 0 ? labelled : options) : [option];
  return new Map(wanted.map((each) => [each, counts.get(each) ?? 0]));
}

/** The label must agree with the deployed policy, unless that does not know the option. */
function createPolicyCheck(deps: Foundation, type: DecisionTypeRecord): (proposal: Proposal) => Promise<boolean> {
  const policy = deps.store.deployments.find(type.id);
  if (policy === null) return async () => true;
  const decider = deps.runtime.deployed.get(type, policy);
  return async ({ input, decision }) => {
    if (!policy.options.includes(decision) || decider.setAside.includes(decision)) return true;
    const decided = await decider.decide(input);
    if (!decided.ok) return false;
    if (isBareFallback(decided.decision)) return true;
    const probabilities = Object.entries(decided.decision.class_probabilities);
    const [predicted] = probabilities.reduce((best, each) => (each[1] > best[1] ? each : best));
    return predicted === decision;
  };
}

function openEmbeddedTeacher(deps: Foundation, type: DecisionTypeRecord): Teacher {
  const teacher = createEmbeddedTeacher(readMaterial(deps, type));
  return {
    maxRounds: 10,
    async ask(option, count) {
      const proposals: Proposal[] = [];
      for (let i = 0; i < count; i += 1) {
        const proposal = teacher.propose(option);
        if (proposal === null) break;
        proposals.push(proposal);
      }
      return proposals;
    },
    tokens(stored) {
      const tokenizer = deps.runtime.textModel.tokenizer();
      return stored.reduce((sum, { input }) => sum + tokenizer.encode(JSON.stringify(input)).length, 0);
    },
  };
}

function openRemoteTeacher(deps: Foundation, type: DecisionTypeRecord, connection: ConnectionRecord): Teacher {
  const { modelConnections } = deps.runtime;
  const redact = (input: JsonObject) => deps.auth.redact(input, type.piiFields);
  return createRemoteTeacher(
    modelConnections.toEndpoint(connection),
    readMaterial(deps, type),
    redact,
    modelConnections.chat,
  );
}
