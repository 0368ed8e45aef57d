/** The answers that each operation makes stale: only they are read again, here and, by events, in other windows. */
import type { QueryClient } from '@tanstack/react-query';
import type { OperationName } from '../../server/contract/operations.ts';
import type { WorkbenchEvent } from '../../server/contract/upkeep/upkeep.ts';

const typeReads = [
  'decision_types.list',
  'decision_types.get',
  'versions.list',
  'releases.list',
  'training.readiness',
] as const;
/** Answers about the held-out examples; they change with examples that are changed or deleted. */
const heldOutReads = [
  'policies.get',
  'pinned_cases.list',
  'policies.list',
  'policies.whole',
  'policies.try_rules',
  'drafts.get',
  'policies.costs',
  'policies.promise',
  'promises.get',
  'policies.slices',
  'policies.held_out',
  'policies.compare',
] as const;
const exampleReads = [
  'examples.list',
  'examples.get',
  'examples.stats',
  'data_findings.list',
  'training.readiness',
  'rules.analyse',
  'rules.propose',
  ...heldOutReads,
] as const;
const optionReads = [...typeReads, ...exampleReads] as const;
const policyReads = ['policies.progress', 'releases.list', ...heldOutReads, 'credits.balance'] as const;

/** The reading operations whose answers a changing one may alter; an operation that is left out alters nothing read. */
const affectedReads: Partial<Record<OperationName, readonly OperationName[]>> = {
  'decision_types.create': ['decision_types.list'],
  'decision_types.update': [
    ...typeReads,
    ...heldOutReads,
    'rules.analyse',
    'rules.propose',
    'examples.stats',
    'data_findings.list',
  ],
  'decision_types.delete': ['decision_types.list'],
  'decision_types.restore': ['decision_types.list', 'decision_types.get'],
  'pii_residue.clear': ['decision_types.list', 'decision_types.get'],
  'options.rename': optionReads,
  'options.merge': optionReads,
  'options.delete': optionReads,
  'options.undo': optionReads,
  'samples.create': ['decision_types.list'],
  'decision_types.import': ['decision_types.list'],
  'policies.import': [...policyReads, ...optionReads],
  'examples.create': exampleReads,
  'imports.commit': optionReads,
  // The window that labels shows it at once; see labels.ts.
  'examples.update': [
    'examples.list',
    'examples.get',
    'examples.stats',
    'examples.labels',
    'agreement.get',
    'data_findings.list',
  ],
  'second_readings.give': ['examples.get', 'examples.list', 'examples.stats', 'examples.labels', 'agreement.get'],
  'second_readings.draw': ['examples.stats', 'agreement.get'],
  'examples.delete': exampleReads,
  'examples.bulk': exampleReads,
  'examples.undo': exampleReads,
  'examples.generate': [...exampleReads, 'credits.balance'],
  'teacher_labelling.start': ['teacher_labelling.get', 'credits.balance'],
  'teacher_labelling.cancel': ['teacher_labelling.get'],
  'training.start': policyReads,
  'policies.create': policyReads,
  'policies.cancel': policyReads,
  // Corrections wait until a policy that has learned them is deployed.
  'policies.deploy': [...policyReads, ...typeReads, 'examples.stats'],
  // A published draft is gone: its effect is not asked for again.
  'releases.create': [...policyReads, ...optionReads].filter((name) => name !== 'drafts.get'),
  'drafts.put': typeReads,
  'drafts.delete': typeReads,
  'versions.restore': optionReads,
  'questions.bind': ['questions.list'],
  'questions.forget': ['questions.list'],
  'aliases.set': ['releases.list'],
  'aliases.delete': ['releases.list'],
  'policies.keep_promise': [...policyReads, ...typeReads],
  'policies.withdraw_promise': [...policyReads, ...typeReads],
  'promises.declare': [...policyReads, ...typeReads],
  'promises.withdraw': [...policyReads, ...typeReads],
  'logs.correct': [...exampleReads, 'logs.list', 'audit.get'],
  'logs.restore': ['logs.list', 'metrics.type', 'metrics.days', 'metrics.organisation'],
  'connections.create': ['connections.list'],
  'connections.delete': ['connections.list'],
  'api_keys.create': ['api_keys.list'],
  'api_keys.delete': ['api_keys.list'],
  'billing.set_plan': ['billing.plans', 'credits.balance'],
  'text_models.add': ['text_models.list'],
  'text_models.delete': ['text_models.list'],
  'backups.create': ['backups.list'],
  'alerts.set': ['alerts.get'],
  'alerts.test': ['alerts.get'],
  'clock.confirm': ['clock.get'],
  'account.update': ['account.me'],
  'organisation.update': ['account.me'],
};

/** Operations that change labels otherwise than one by one. */
export const relabels: ReadonlySet<OperationName> = new Set([
  'examples.bulk',
  'examples.undo',
  'options.rename',
  'options.merge',
  'options.delete',
  'options.undo',
  'imports.commit',
  'logs.correct',
]);

/** Answers that this window's labels make stale once the server has them; the rest is patched as they are given. */
export const staleByLabels: readonly OperationName[] = [
  'examples.stats',
  'examples.labels',
  'agreement.get',
  'training.readiness',
  'audit.get',
];

/** Answers to read again once a policy was asked for the promise of its type. */
export const staleByPromise: readonly OperationName[] = [...policyReads, ...typeReads];

/** Answers that labels given by a teacher make stale. */
export const staleByTeacher: readonly OperationName[] = [...exampleReads, 'credits.balance'];

/** Answers that new log records make stale. */
export const staleByLogs: readonly OperationName[] = ['logs.list', 'metrics.type', 'metrics.drift', 'audit.get'];

/** Lists what work in the background makes stale: while it goes on, its progress; at its end, what it has made. */
export function staleByJob({ job, ended }: Extract<WorkbenchEvent, { event: 'job' }>): readonly OperationName[] {
  if (job === 'findings') return ['data_findings.list'];
  if (job === 'slices') return ['policies.slices'];
  if (job === 'labels') return ended ? ['examples.stats', 'data_findings.list'] : [];
  if (job === 'drift') return ['metrics.drift'];
  return ended
    ? [...policyReads, ...typeReads, 'examples.stats', 'data_findings.list']
    : ['policies.progress', 'policies.list'];
}

/** Answers to read again: those of `names`, and of one decision type where one is named. */
export type Staleness = { names: readonly OperationName[]; typeId: string | null };

function readTypeId(input: unknown): string | null {
  const params = (input as { params?: { decision_type_id?: unknown } } | undefined)?.params;
  return typeof params?.decision_type_id === 'string' ? params.decision_type_id : null;
}

/** Lists what a finished call makes stale. */
export function findStale(name: OperationName, input: unknown): Staleness {
  return { names: affectedReads[name] ?? [], typeId: readTypeId(input) };
}

/** Marks answers as stale; those on screen are read again. */
export function invalidate(queries: QueryClient, { names, typeId }: Staleness): Promise<void> {
  if (names.length === 0) return Promise.resolve();
  return queries.invalidateQueries({
    predicate: ({ queryKey: [name, input] }) => {
      if (!names.includes(name as OperationName)) return false;
      const owner = readTypeId(input);
      return typeId === null || owner === null || owner === typeId;
    },
  });
}
