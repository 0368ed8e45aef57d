/** The list of activity, and what is noted in it: the operations, each with what is said beside its name. */
import { countOf } from '../../../engine/numeric.ts';
import type { Caller } from '../../auth/caller.ts';
import { listOperations, type OperationName, type OutputOf } from '../../contract/operations.ts';
import { isoTime } from '../../process/clock.ts';
import { findAuthor } from '../../services/authors.ts';
import type { ActivityRecord } from '../../store/account/activity.ts';
import { type Deps, type Handlers, toPage } from '../context.ts';

/** The parts of a call as they were read. */
type Called = { params: unknown; query: unknown; body: unknown };
/** Says of which thing, or what came of it; null where such a call is not noted. */
type Describe<Answer> = (called: { params: Fields; query: Fields; body: Fields }, answer: Answer) => string | null;
type Fields = Readonly<Record<string, unknown>>;

const simply = () => '';
const pick = ({ body }: { body: Fields }, ...names: readonly string[]): string | null => {
  const given = names.filter((name) => body[name] !== undefined);
  return given.length === 0 ? null : given.map((name) => `${name}: ${JSON.stringify(body[name])}`).join(', ');
};
const nameInPath =
  (name: string) =>
  ({ params }: { params: Fields }) =>
    String(params[name]);

const noted: { readonly [Name in OperationName]?: Describe<OutputOf<Name>> } = {
  'decision_types.delete': simply,
  'decision_types.restore': simply,
  'decision_types.update': (called) =>
    pick(called, 'name', 'publish_by_another', 'publish_by_hand', 'audit', 'retention_days', 'pii_fields'),
  'decision_types.import': (_, { examples, releases }) =>
    `${countOf(examples, 'example')}, ${countOf(releases, 'release')}`,
  'decision_types.archive': simply,
  'policies.import': (_, { release }) => `release ${release}`,
  'promises.declare': (called) => pick(called, 'target_error', 'certainty'),
  'promises.withdraw': simply,
  'policies.keep_promise': (called) => pick(called, 'target_error', 'certainty'),
  'policies.withdraw_promise': nameInPath('policy_id'),
  'aliases.set': ({ params, body }) => `${params['alias']} → release ${body['release']}`,
  'aliases.delete': nameInPath('alias'),
  'drafts.delete': simply,
  'options.merge': (called) => pick(called, 'from', 'into'),
  'options.delete': (called) => pick(called, 'option', 'examples'),
  'questions.forget': nameInPath('question_id'),
  'examples.delete': nameInPath('example_id'),
  'examples.update': (called) => pick(called, 'must'),
  'examples.bulk': ({ body }, { affected }) => (body['action'] === 'delete' ? `${affected} deleted` : null),
  'examples.undo': (_, { affected }) => `${affected} changed back`,
  'examples.import': simply,
  'imports.commit': (_, { examples }) => countOf(examples, 'example'),
  'examples.export': ({ query }) => String(query['format'] ?? ''),
  'bundle.export': simply,
  'bundle.export_page': simply,
  'logs.import': ({ body }, { added, known, refused }) =>
    `${body['file'] ?? 'no file named'}: ${added} added, ${known} known before, ${refused.length} refused`,
  'logs.export': ({ query }) => String(query['format'] ?? ''),
  'logs.restore': simply,
  'pii_residue.clear': simply,
  'connections.create': (called) => pick(called, 'name', 'url'),
  'connections.delete': nameInPath('connection_id'),
  'api_keys.create': (called, { prefix }) => `${prefix}…, ${pick(called, 'name', 'scopes', 'holder')}`,
  'api_keys.delete': nameInPath('key_id'),
  'alerts.set': simply,
  'billing.set_plan': (called) => pick(called, 'plan'),
  'clock.confirm': simply,
  'text_models.add': simply,
  'text_models.delete': nameInPath('text_model'),
  'backups.create': simply,
};

/** Notes a finished call where others may want to ask who made it. */
export function noteActivity(
  { store, clock }: Deps,
  name: OperationName,
  caller: Caller | null,
  { params, query, body }: Called,
  answer: unknown,
): void {
  const describe = noted[name] as Describe<unknown> | undefined;
  if (describe === undefined || caller === null) return;
  const called = { params: toFields(params), query: toFields(query), body: toFields(body) };
  const details = describe(called, answer);
  if (details === null) return;
  const { decision_type: made, decision_type_id: named } = toFields(answer);
  const given = called.params['decision_type_id'] ?? named ?? toFields(made)['id'];
  const typeId = typeof given === 'string' ? given : null;
  store.activity.add({
    organisationId: caller.organisationId,
    operation: name,
    details: details === '' ? null : details.slice(0, maxDetails),
    typeId,
    typeName: typeId === null ? null : (store.decisionTypes.find(typeId)?.name ?? null),
    by: findAuthor(store, caller).name,
    apiKeyId: caller.apiKeyId,
    madeAt: clock.now(),
  });
}

const maxDetails = 500;
const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

function toItem({ operation, details, typeId, typeName, by, apiKeyId, madeAt }: ActivityRecord) {
  const row = listOperations().find(({ name }) => name === operation)?.row;
  return {
    operation,
    // The rest of it is about the call, not about what was done.
    summary: row?.summary.split(/[,:;]/)[0] ?? operation,
    details,
    decision_type_id: typeId,
    decision_type: typeName,
    by,
    api_key_id: apiKeyId,
    created_at: isoTime(madeAt),
  };
}

export const activityHandlers = {
  'activity.list': (deps, { caller, query }) => {
    const { decision_type_id: typeId = null, page, page_size } = query;
    const of = { organisationId: caller.organisationId, typeId };
    const { records, total } = deps.store.activity.page(of, page, page_size);
    return toPage(records.map(toItem), total, query);
  },
} satisfies Handlers;
