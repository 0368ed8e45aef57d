import type { Definition } from '../../domain/definition.ts';
import type { TrainingExample } from '../../domain/training.ts';
import { leaveOut } from '../../drawn-rows.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { createRandom, deriveSeed, hashString, type Random, randomStreams } from '../../random.ts';
import { compileRules } from '../../rules/compile.ts';
import { compileInputSchema } from '../../schema/input-schema.ts';
import { compareStrings } from '../data/split.ts';
import type { Proposal } from '../request.ts';
import { computeSignature, estimateSimilarity, findRepeatedStrings, isText, pick, recombine } from './recombine.ts';
import {
  createPhraseSampler,
  frameText,
  listComparedFields,
  sampleComparedFields,
  sampleSchema,
} from './sample-input.ts';

/** Tries for one example before an option counts as exhausted. */
const maxTries = 60;
/** Tries without a new example after which texts are framed as well. */
const triesBeforeFraming = 30;
/** The second parent is the most similar of this many: between distant examples an option may have none of its own. */
const candidateParents = 4;

export type TeacherMaterial = {
  definition: Pick<Definition, 'options' | 'reason_codes' | 'hard_rules' | 'input_schema'>;
  description: string;
  examples: readonly TrainingExample[];
  /** Further inputs that must not come out again. */
  avoid: readonly JsonObject[];
  /** Fields that only tell rows apart: a proposal that differs by these is a copy. Left out: none. */
  identifying?: readonly (readonly string[])[] | undefined;
  seed: number;
};

/** Whether a proposal fits the schema, contradicts no rule and nearly repeats none before it. */
export type ProposalCheck = (proposal: Proposal) => 'ok' | 'schema' | 'rule' | 'duplicate';

/** Makes the check of a teacher's proposals; a proposal that passes counts as seen from then on. */
export function createProposalCheck(material: Omit<TeacherMaterial, 'description' | 'seed'>): ProposalCheck {
  const { definition } = material;
  const validate = definition.input_schema === null ? null : compileInputSchema(definition.input_schema);
  const compiled = compileRules(definition.hard_rules, definition);
  const { examples, avoid, identifying = [] } = material;
  const toSignature = (input: JsonObject) => computeSignature(leaveOut(input, identifying));
  const known = new Set([...examples.map(({ input }) => input), ...avoid].map(toSignature));
  return ({ input, decision }) => {
    if (validate !== null && validate(input).length > 0) return 'schema';
    const matched = compiled.ok ? compiled.value.evaluate(input, false).matched : null;
    if (matched !== null && matched.then !== decision) return 'rule';
    const signature = toSignature(input);
    if (known.has(signature)) return 'duplicate';
    known.add(signature);
    return 'ok';
  };
}

export type EmbeddedTeacher = {
  /** Proposes the next new example of an option, or null when no more can be found. */
  propose(option: string): Proposal | null;
};

/**
 * Makes the embedded teacher: recombines an option's examples, or samples schema, other inputs and rules. Every
 * proposal passes `check`; the same seed and content give the same ones.
 */
export function createEmbeddedTeacher(
  material: TeacherMaterial,
  check: ProposalCheck = createProposalCheck(material),
): EmbeddedTeacher {
  const makers = new Map<string, ProposalMaker>();
  return {
    propose(option) {
      const make = makers.get(option) ?? createMaker(material, option);
      makers.set(option, make);
      for (let attempt = 0; attempt < maxTries; attempt += 1) {
        const proposal = make(attempt);
        if (check(proposal) === 'ok') return proposal;
      }
      return null;
    },
  };
}

/** Makes proposals of one option, not yet checked; `attempt` counts those that were refused since the last good one. */
type ProposalMaker = (attempt: number) => Proposal;

function createMaker(material: TeacherMaterial, option: string): ProposalMaker {
  // Each option draws from a sequence of its own, so that one does not depend on how often another was asked for.
  const random = createRandom(deriveSeed(randomStreams.teacher, material.seed) ^ hashString(option));
  const sources = material.examples.filter((example) => example.decision === option);
  const repeated = findRepeatedStrings(material.examples.map(({ input }) => input));
  if (sources.length === 0)
    return () => ({ input: sampleInput(material, option, random), decision: option, reasonCodes: [] });
  return (attempt) => {
    const first = pick(sources, random);
    const second = pickSimilarParent(first, sources, random);
    const recombined = recombineExamples(first, second, repeated, random);
    const input =
      attempt < triesBeforeFraming ? recombined : replaceTexts(recombined, (text) => frameText(text, random));
    return { input, decision: option, reasonCodes: first.reasonCodes };
  };
}

function pickSimilarParent(
  first: TrainingExample,
  sources: readonly TrainingExample[],
  random: Random,
): TrainingExample {
  let best = first;
  let bestSimilarity = -1;
  for (let i = 0; i < candidateParents; i += 1) {
    const other = pick(sources, random);
    if (other === first) continue;
    const similarity = estimateSimilarity(first.input, other.input);
    if (similarity > bestSimilarity) [best, bestSimilarity] = [other, similarity];
  }
  return best;
}

function recombineExamples(
  a: TrainingExample,
  b: TrainingExample,
  repeated: ReadonlySet<string>,
  random: Random,
): JsonObject {
  return recombine(a.input, a === b ? jitterNumbers(b.input, random) : b.input, repeated, random);
}

/** Moves numbers by at most a tenth: a single example says no more about its option's numbers. */
function jitterNumbers(input: JsonObject, random: Random): JsonObject {
  const members = Object.entries(input).sort(([first], [second]) => compareStrings(first, second));
  return Object.fromEntries(
    members.map(([key, value]) => {
      if (isJsonObject(value)) return [key, jitterNumbers(value, random)];
      if (typeof value !== 'number') return [key, value];
      const moved = value * (0.9 + 0.2 * random());
      return [key, Number.isInteger(value) ? Math.round(moved) : moved];
    }),
  );
}

/** An input for an option without examples. */
function sampleInput(material: TeacherMaterial, option: string, random: Random): JsonObject {
  const { definition, examples } = material;
  const samplePhrase = createPhraseSampler(option);
  if (definition.input_schema !== null) {
    const sampled = sampleSchema(definition.input_schema, samplePhrase, random);
    return isJsonObject(sampled) ? sampled : {};
  }
  if (examples.length > 0) {
    const shape = recombine(pick(examples, random).input, pick(examples, random).input, new Set(), random);
    return replaceTexts(shape, () => samplePhrase(random));
  }
  const compiled = compileRules(definition.hard_rules, definition);
  const trees = compiled.ok ? compiled.value.file.rules.map(({ ast }) => ast) : [];
  return sampleComparedFields(listComparedFields(trees), { text: samplePhrase(random) }, random);
}

function replaceTexts(input: JsonObject, replace: (text: string) => string): JsonObject {
  const visit = (value: Json): Json => {
    if (typeof value === 'string') return isText(value) ? replace(value) : value;
    if (Array.isArray(value)) return value.map(visit);
    return isJsonObject(value) ? replaceTexts(value, replace) : value;
  };
  return Object.fromEntries(Object.entries(input).map(([key, member]) => [key, visit(member)]));
}
