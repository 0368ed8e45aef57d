/** Pinned cases: examples whose decisions must hold, decided by a policy with the current rules and thresholds. */

import { createTurns } from '../../../door/turns.ts';
import type { Decider } from '../../../engine/decide/golden.ts';
import type { Stage } from '../../../engine/domain/decision.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../engine/json.ts';
import { redactToPlaceholder } from '../../../engine/pii.ts';
import type { Foundation } from '../../foundation.ts';
import { createRecentCache } from '../../process/recent-cache.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

/** A case and its decision: null where the input schema refuses it. */
export type PinnedCase = {
  example: ExampleRecord;
  decision: string | null;
  stage: Stage | null;
  rules: string[];
  isKept: boolean;
};
export type PinnedReport = { cases: PinnedCase[]; uncoveredRules: string[] };

/** The newest cases of a type that are decided; one with a text costs an embedding the first time. */
export const maxPinnedCases = 200;
/** Policies whose cases are known. */
const maxKept = 40;
/** Inputs whose texts are embedded at a time. */
const decidedAtOnce = 8;

type CasesPolicy = Pick<PolicyRecord, 'id' | 'bundleSha256'>;

/** Decides the pinned cases of types, once for each policy until rules, thresholds or cases change. */
export class PinnedCases {
  readonly #deps: Foundation;
  readonly #kept = createRecentCache<string, PinnedReport>(maxKept);

  constructor(deps: Foundation) {
    this.#deps = deps;
  }

  /** The labelled cases of a type, newest first. */
  list(type: DecisionTypeRecord): ExampleRecord[] {
    return this.#deps.store.examples.listMust(type.id, maxPinnedCases);
  }

  /** The cases as a policy decides them, where that is known; null before `decide`. */
  find(type: DecisionTypeRecord, policy: CasesPolicy): PinnedReport | null {
    return this.#kept.get(toKey(type, policy, this.list(type))) ?? null;
  }

  /** As `decide` by a policy's own file; null where that cannot be used, which its availability says. */
  async tryToDecide(
    type: DecisionTypeRecord,
    { id, version, bundleSha256 }: CasesPolicy & Pick<PolicyRecord, 'version'>,
  ): Promise<PinnedReport | null> {
    if (bundleSha256 === null) return null;
    const { runtime, store } = this.#deps;
    const now = store.decisionTypes.find(type.id);
    const isPresent = now?.activeVersion.id === type.activeVersion.id && now.fallbackOption === type.fallbackOption;
    const policy = { id, version, bundleSha256 };
    // With settings that do not decide yet beside what is kept, so that live calls never wait for their own again.
    const load = () =>
      isPresent
        ? runtime.deployed.getTrained(type, policy)
        : runtime.deployed.compile(runtime.deployed.readFile(type, policy).present);
    try {
      return await this.decide(type, { id, bundleSha256 }, load);
    } catch (error) {
      if (error instanceof WorkbenchError) return null;
      throw error;
    }
  }

  /** Decides the cases with a policy, which is loaded where they are not known; rejects as loading and deciding do. */
  async decide(type: DecisionTypeRecord, policy: CasesPolicy, load: () => Decider): Promise<PinnedReport> {
    const examples = this.list(type);
    const key = toKey(type, policy, examples);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const cases = examples.length === 0 ? [] : await this.#decideAll(load(), examples);
    const reached = new Set(cases.flatMap(({ rules }) => rules));
    const names = type.activeVersion.definition.hard_rules.map(({ name }) => name);
    const report = { cases, uncoveredRules: names.filter((name) => !reached.has(name)) };
    this.#kept.set(key, report);
    return report;
  }

  async #decideAll(decider: Decider, examples: readonly ExampleRecord[]): Promise<PinnedCase[]> {
    const takeTurns = createTurns(this.#deps.clock);
    const cases: PinnedCase[] = [];
    for (let at = 0; at < examples.length; at += decidedAtOnce) {
      const some = examples.slice(at, at + decidedAtOnce);
      await decider.embedAhead(some.map(({ input }) => input));
      for (const example of some) {
        await takeTurns();
        const result = await decider.decide(example.input);
        const { decision = null, stage = null, rules_triggered: rules = [] } = result.ok ? result.decision : {};
        cases.push({ example, decision, stage, rules, isKept: decision === example.decision });
      }
    }
    return cases;
  }
}

/** Names everything that the decisions on the cases follow from. */
function toKey(
  { activeVersion, fallbackOption }: DecisionTypeRecord,
  { id, bundleSha256 }: CasesPolicy,
  examples: readonly ExampleRecord[],
): string {
  const cases = examples.map((example) => [example.id, example.updatedAt]);
  return JSON.stringify([id, bundleSha256, activeVersion.id, fallbackOption, cases]);
}

const maxNameLength = 80;

/** Says a case that is decided otherwise, as `Must: “order 17” → deny, decides approve.`; without personal values. */
export function describeRed({ example, decision }: PinnedCase, piiFields: readonly string[]): string {
  const name = example.note ?? listValues(redactToPlaceholder(example.input, piiFields)).join(', ');
  const shown = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
  const made = decision === null ? 'the input schema refuses it' : `decides ${decision}`;
  return `Must: “${shown}” → ${example.decision}, ${made}.`;
}

/** The values of an input with their names: `amount: 40`, `applicant.score: 700`. */
function listValues(input: JsonObject, above = ''): string[] {
  return Object.entries(input).flatMap(([name, value]) =>
    isJsonObject(value) ? listValues(value, `${above}${name}.`) : [`${above}${name}: ${toText(value)}`],
  );
}

const toText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));
