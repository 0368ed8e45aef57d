/** `workbench definition`: what a type decides by, as a text of a repository: compared, proposed and released. */
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, YAMLParseError } from 'yaml';
import { describeChanges } from '../../engine/bundle/describe-changes.ts';
import { pick } from '../../engine/domain/records.ts';
import type { Client } from '../contract/client.ts';
import {
  type DecisionType,
  type DecisionTypeCreate,
  decisionTypeCreateSchema,
} from '../contract/types/decision-types.ts';
import { settingNames } from '../contract/types/drafts.ts';
import { commonOptions, defineCommand, endCodes, refuse, refuseConflict, texts } from './command.ts';
import { findType, listTypes, requireDataDir, withWorkbench } from './with-workbench.ts';

/** Parts of a definition in the order in which they are written; no example, label or record is among them. */
const parts = decisionTypeCreateSchema.omit({ rules: true }).keyof().options;
type Part = (typeof parts)[number];
type Definition = Required<Pick<DecisionType['active_version'] & DecisionType, Part>>;

const isSetting = (part: Part): boolean => settingNames.some((name) => name === part);

const readDefinition = ({ active_version: version, ...type }: DecisionType): Definition =>
  pick({ ...version, ...type }, parts);

const head = `# What a decision type of Decision Workbench decides by: workbench definition apply FILE proposes it.
# Its fields are those of DecisionTypeCreate in /api/v1/openapi.json; one that is left out stays as it is.
`;

/** Reads a definition, as YAML or JSON; null stands for nothing. Throws what refuses it, with its place. */
function readFile(file: string): Partial<Definition> & { name: string } {
  let given: unknown;
  try {
    given = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const place = cause instanceof YAMLParseError ? `line ${cause.linePos?.[0].line ?? 1}: ` : '';
    throw refuse(`${file} cannot be read: ${place}${cause instanceof Error ? cause.message : ''}`, cause);
  }
  const read = decisionTypeCreateSchema.safeParse(given);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
    throw refuse(`${file} is no definition.\n  ${problems.join('\n  ')}`);
  }
  const { rules = [], hard_rules = rules, ...others } = read.data;
  const named = Object.keys(given ?? {});
  const isGiven = (part: Part) => named.includes(part) || (part === 'hard_rules' && named.includes('rules'));
  const all = { hard_rules, ...others };
  return { ...pick(all, parts.filter(isGiven)), name: all.name };
}

const listChanged = (before: Definition, after: Definition): Part[] =>
  parts.filter((part) => !isDeepStrictEqual(before[part], after[part]));

/** Says in sentences how a file differs from what decides now. */
function describeDifferences(before: Definition, after: Definition): string[] {
  const policyVersion = 0;
  const sentences = describeChanges({ policyVersion, settings: before }, { policyVersion, settings: after });
  const changed = listChanged(before, after);
  // No sentence is about what decides nothing, such as a hint.
  const silent = sentences.length === 0 ? changed.filter(isSetting) : [];
  return [
    ...sentences,
    ...silent.map((part) => `${part} was changed.`),
    ...changed
      .filter((part) => !isSetting(part))
      .map((part) => `${part}: ${JSON.stringify(before[part])} becomes ${JSON.stringify(after[part])}.`),
  ];
}

/** Refuses rules that could not be saved, as a trial saves none. */
async function checkRules(client: Client, definition: DecisionTypeCreate): Promise<void> {
  const { hard_rules: rules = [], options, reason_codes, lists, input_schema } = definition;
  const { problems } = await client.call('rules.check', {
    body: { rules, options, reason_codes, lists, input_schema },
  });
  const said = problems.map(({ rule, field, message }) => `hard_rules › ${rule} › ${field}: ${message}`);
  if (said.length > 0) throw refuse(`The rules cannot be saved.\n  ${said.join('\n  ')}`);
}

async function apply(client: Client, file: string, isTried: boolean) {
  const given = readFile(file);
  const found = (await listTypes(client)).find(({ name }) => name === given.name);
  if (found === undefined) {
    const body = decisionTypeCreateSchema.parse(given);
    if (isTried) await checkRules(client, body);
    else await client.call('decision_types.create', { body });
    return { decision_type: given.name, draft: false, changes: [`The decision type “${given.name}” is made.`] };
  }
  const before = readDefinition(found);
  const after = { ...before, ...given };
  if (isTried) await checkRules(client, decisionTypeCreateSchema.parse(after));
  const changes = describeDifferences(before, after);
  const isLive = found.model_deployed;
  const said = {
    decision_type: found.name,
    draft: isLive && parts.some((part) => isSetting(part) && part in given),
    changes,
  };
  if (isTried || changes.length === 0) return { ...said, draft: said.draft && changes.length > 0 };
  const params = { decision_type_id: found.id };
  const atOnce = pick(
    after,
    listChanged(before, after).filter((part) => !isLive || !isSetting(part)),
  );
  if (Object.keys(atOnce).length > 0) await client.call('decision_types.update', { params, body: atOnce });
  // All settings that the file names: those that are as they decide now leave the draft.
  const proposed = pick(after, isLive ? parts.filter((part) => isSetting(part) && part in given) : []);
  if (Object.keys(proposed).length > 0)
    await client.call('decision_types.update', { params, body: { ...proposed, draft: true } });
  return said;
}

/** Lists what keeps the draft from being released, or is red in what decides, in sentences. */
async function listFaults(client: Client, { id, draft, model_deployed: isLive }: DecisionType): Promise<string[]> {
  const params = { decision_type_id: id };
  if (draft !== null) {
    const { holds } = await client.call('drafts.get', { params, query: {} });
    return holds.map(({ sentence }) => sentence);
  }
  if (!isLive) return [];
  const policies = await client.call('policies.list', { params });
  const deployed = policies.find((policy) => policy.deployed);
  if (deployed === undefined) return [];
  const { verdict } = await client.call('policies.get', { params: { ...params, policy_id: deployed.id } });
  return verdict.flatMap(({ state, sentence }) => (state === 'blocking' ? [sentence] : []));
}

type Release = { release: string | undefined; alias: string | undefined; reason: string | undefined };

async function publish(client: Client, type: DecisionType, { release, alias, reason }: Release) {
  const number = release === undefined ? undefined : Number(release);
  if (number !== undefined && !Number.isInteger(number)) throw refuse('--release is the number of a release, as 3.');
  const params = { decision_type_id: type.id };
  const isMade = alias === undefined || number === undefined;
  const body = { reason: reason ?? null, ...(number !== undefined && { release: number }) };
  const made = isMade ? await client.call('releases.create', { params, body }) : null;
  const decided = made?.release ?? number ?? 0;
  if (alias !== undefined)
    await client.call('aliases.set', { params: { ...params, alias }, body: { release: decided } });
  return {
    decision_type: type.name,
    release: decided,
    ...(alias !== undefined && { alias }),
    changes: made?.changes ?? [],
  };
}

const help = `workbench definition export|apply|check|publish [FILE | TYPE] [flags] [--data-dir DIR]
What a decision type decides by, as a text for a repository: question, options, codes, rules, lists, thresholds, fields.

  export [TYPE]    writes it as YAML; examples, labels, pinned cases and records are not in it
  apply FILE       proposes what differs as the draft, and makes a type that is not there (YAML or JSON)
  check [TYPE]     tries the draft, else what decides, on pinned cases and examples; ends with 1 where something is red
  publish [TYPE]   releases the draft

  --out FILE       of export: where it is written (the standard output); a file that lies there is replaced
  --dry-run        of apply: says what would change, and changes nothing
  --reason TEXT    of publish: why, for the history, also where the check is red
  --release N      of publish: goes back to an earlier release
  --alias NAME     of publish: names the release, and with --release that one, without a new one
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const definitionCommand = defineCommand(
  help,
  { ...commonOptions, ...texts('out', 'reason', 'release', 'alias'), 'dry-run': { type: 'boolean' } },
  async ({ values, operands: [verb, operand] }, { env, answer }) => {
    const { out, reason, release, alias } = values;
    if (verb === undefined || !['export', 'apply', 'check', 'publish'].includes(verb))
      throw refuse('Say export, apply, check or publish: workbench definition --help.');
    if (verb === 'apply' && operand === undefined) throw refuse('Name the file of the definition.');
    return withWorkbench(requireDataDir(values['data-dir'], env), env, async (client) => {
      if (verb === 'apply') return answer(await apply(client, operand ?? '', values['dry-run'] === true));
      const type = await findType(client, values.type ?? operand);
      if (verb === 'export') {
        const written = head + stringify(readDefinition(type), { lineWidth: 0, aliasDuplicateObjects: false });
        if (out === undefined) return void process.stdout.write(written);
        writeFileSync(out, written);
        return answer({ decision_type: type.name, file: out });
      }
      if (verb === 'check') {
        const red = await listFaults(client, type);
        await answer({ decision_type: type.name, draft: type.draft !== null, changes: type.draft?.changes ?? [], red });
        return red.length > 0 ? endCodes.under : endCodes.done;
      }
      return answer(await publish(client, type, { release, alias, reason }).catch(refuseConflict));
    });
  },
  2,
);
