/** Synthetic examples on request: made by a teacher, checked, and stored all or none. */
import { canonicalJson } from '../../engine/canonical-json.ts';
import type { JsonObject, TrainingExample } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import { splitRows } from '../../engine/training/data/split.ts';
import {
  createEmbeddedTeacher,
  type Proposal,
  type TeacherMaterial,
} from '../../engine/training/generate/embedded-teacher.ts';
import { collectProposals, type OptionCounts, type Teacher } from '../connections/collect-proposals.ts';
import { createRemoteTeacher } from '../connections/remote-teacher.ts';
import type { ConnectionRow } from '../store/connections.ts';
import type { DecisionTypeRow } from '../store/decision-types.ts';
import type { ExampleRow } from '../store/examples.ts';
import type { Deps, Handlers } from './context.ts';
import { findDecisionType } from './decision-types.ts';
import { insertAll, toExample } from './examples.ts';

/** Examples that a teacher learns from at most, the newest ones: reading them must not hold up decisions. */
const maxSources = 3_000;

/** What a teacher may see: examples of the training side only, so that no held-out one leaks into a synthetic one. */
function materialOf(deps: Deps, type: DecisionTypeRow): TeacherMaterial {
  const { definition } = type.activeVersion;
  const { rows, total } = deps.store.examples.page(type.id, { labelled: true }, 1, maxSources);
  const known = rows.filter(({ decision }) => decision !== null && definition.options.includes(decision));
  const { train, test } = splitRows(
    known.map(({ input, decision, source }) => ({
      content: canonicalJson(input),
      label: definition.options.indexOf(decision ?? ''),
      source,
    })),
  );
  const at = (positions: readonly number[]): TrainingExample[] =>
    positions.flatMap((position) => known[position] ?? []);
  return {
    definition,
    description: type.description,
    examples: at(train),
    avoid: at(test).map(({ input }) => input),
    seed: total,
  };
}

/** Which options are asked for: the wished one, else all, where the embedded teacher leaves out those it knows nothing of. */
function countsOf(deps: Deps, type: DecisionTypeRow, option: string | undefined, embedded: boolean): OptionCounts {
  const counts = deps.store.examples.labelCounts(type.id);
  const { options } = type.activeVersion.definition;
  const countOf = (each: string) => (Object.hasOwn(counts, each) ? (counts[each] ?? 0) : 0);
  const labelled = embedded ? options.filter((each) => countOf(each) > 0) : [];
  const asked = option === undefined ? (labelled.length > 0 ? labelled : options) : [option];
  return new Map(asked.map((each) => [each, countOf(each)]));
}

/** The label must be what the deployed policy would say; a policy that does not know the option has no say. */
function agreementOf(deps: Deps, type: DecisionTypeRow): (proposal: Proposal) => Promise<boolean> {
  const policy = deps.store.deployments.find(type.id);
  if (policy === null) return async () => true;
  const decider = deps.runtime.deployed.get(type, policy);
  return async ({ input, decision }) => {
    if (!policy.options.includes(decision)) return true;
    const decided = await decider.decide(input);
    if (!decided.ok) return false;
    const probabilities = Object.entries(decided.decision.class_probabilities);
    const best = probabilities.reduce((a, b) => (b[1] > a[1] ? b : a));
    return best[0] === decision;
  };
}

function embeddedTeacher(deps: Deps, type: DecisionTypeRow): Teacher {
  const teacher = createEmbeddedTeacher(materialOf(deps, type));
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

function remoteTeacher(deps: Deps, type: DecisionTypeRow, connection: ConnectionRow): Teacher {
  const { modelConnections: teachers } = deps.runtime;
  const mask = (input: JsonObject) => deps.auth.redact(input, type.piiFields);
  return createRemoteTeacher(teachers.toEndpoint(connection), materialOf(deps, type), mask, teachers.chat);
}

export const generateHandlers = {
  async 'examples.generate'(deps, { caller, params, body }) {
    const { store, metering } = deps;
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { count, option } = body;
    if (option !== undefined && !type.activeVersion.definition.options.includes(option)) {
      throw new WorkbenchError('validation_error', 'Request validation failed', [
        { type: 'invalid_value', loc: ['body', 'option'], msg: 'must be one of the options' },
      ]);
    }
    metering.checkCredits(caller, metering.prices.per100Tokens, 'a generation');
    const connection = deps.runtime.modelConnections.findForGeneration(caller.organisationId);
    const teacher = connection === null ? embeddedTeacher(deps, type) : remoteTeacher(deps, type, connection);
    const counts = countsOf(deps, type, option, connection === null);
    const proposals = await collectProposals(teacher, counts, count, agreementOf(deps, type));
    if (proposals.length < count) {
      const made = `Only ${proposals.length} of ${count} examples could be made`;
      throw connection === null
        ? new WorkbenchError(
            'conflict',
            `${made} from what is known of the decision type. Ask for fewer, or add labelled examples that differ.`,
          )
        : new WorkbenchError(
            'unavailable',
            `${made}: what else the teacher "${connection.name}" answered could not be used. Nothing was stored.`,
          );
    }
    const credits = Math.ceil(teacher.tokens(proposals) / 100) * metering.prices.per100Tokens;
    const createdAt = deps.clock.now();
    const rows = proposals.map(
      ({ input, decision, reasonCodes }): ExampleRow => ({
        id: deps.newId(),
        decisionTypeId: type.id,
        input,
        decision,
        reasonCodes: reasonCodes.filter((code) => type.activeVersion.definition.reason_codes.includes(code)),
        source: 'synthetic',
        reviewed: false,
        logId: null,
        createdAt,
        updatedAt: createdAt,
      }),
    );
    store.transaction(() => {
      // the type may have been deleted while the teacher worked
      findDecisionType(deps, caller, type.id);
      metering.checkCredits(caller, credits, 'this generation');
      insertAll(deps, type, rows, ['body', 'count']);
      store.credits.insert({
        id: deps.newId(),
        organisationSeq: caller.organisationSeq,
        operation: 'generation',
        credits,
        decisionTypeId: type.id,
        referenceId: null,
        createdAt,
      });
    });
    return rows.map(toExample);
  },
} satisfies Handlers<'examples.generate'>;
