import type { Definition } from '../../domain/definition.ts';
import type { TrainingExample } from '../../domain/training.ts';
import { leaveOut } from '../../drawn-rows.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { createRandom, deriveSeed, hashString, type Random, randomStreams } from '../../random.ts';
import { compileRules } from '../../rules/compile.ts';
import { compileInputSchema } from '../../schema/input-schema.ts';
import type { Proposal } from '../request.ts';
import { computeSignature, isText, pick, recombine } from './recombine.ts';
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
const triesBeforeFraming = 4;
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

/** The embedded teacher: recombines an option's examples, or samples schema and rules; all pass `check`. */
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
  if (sources.length === 0)
    return () => ({ input: sampleInput(material, option, random), decision: option, reasonCodes: [] });
  return (attempt) => {
    const first = pick(sources, random);
    // Texts alone leave little to recombine: then one is framed, or two stand one behind the other.
    const isFramed = attempt >= triesBeforeFraming;
    const joins = isFramed && attempt % 2 === 1;
    const recombined = recombine(first.input, pick(sources, random).input, random, joins);
    const input = isFramed ? replaceTexts(recombined, (text) => frameText(text, random)) : recombined;
    return { input, decision: option, reasonCodes: first.reasonCodes };
  };
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
    const shape = recombine(pick(examples, random).input, pick(examples, random).input, random);
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
