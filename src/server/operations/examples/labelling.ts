/** Labelling: the next examples with suggestions, the labels of a teacher, second readings, the audit, findings. */
import { byName } from '../../../engine/domain/records.ts';
import { findingKinds } from '../../../engine/findings/finding.ts';
import type { FindingCounts } from '../../../engine/findings/search-data.ts';
import { describeAgreement, measureAgreement } from '../../../engine/measure/agreement.ts';
import { describeAudit, measureAudit } from '../../../engine/measure/error-bound.ts';
import type { PolicyAuditAnswer } from '../../contract/examples/labelling.ts';
import type { OutputOf } from '../../contract/operations.ts';
import { toExample } from '../../preparation/examples/example-wire.ts';
import { isoTime } from '../../process/clock.ts';
import { findDataProblems } from '../../services/examples/data-findings.ts';
import { findExample } from '../../services/examples/examples.ts';
import { findSimilarExamples, suggestLabels, takeNextExamples } from '../../services/examples/labelling/labelling.ts';
import type { TeacherLabelling } from '../../services/examples/labelling/teacher-labelling.ts';
import { describeNumbers } from '../../services/examples/numbers.ts';
import { drawSecondReadings, giveSecondReading } from '../../services/examples/second-readings.ts';
import { nameReader } from '../../services/releases.ts';
import type { PolicyAudit } from '../../store/examples/audits.ts';
import { toAnalysisState } from '../analysis-state.ts';
import { type Handlers, toPage } from '../context.ts';

function toTeacherLabelling(job: TeacherLabelling): OutputOf<'teacher_labelling.get'> {
  const { state, connection, agreement, measured, done, total, labelled, tokens, credits, message } = job;
  return {
    state,
    connection,
    measured,
    done,
    total,
    labelled,
    tokens,
    credits,
    message,
    teacher: state === 'idle' ? null : connection === null ? 'labelling_model' : 'connected_model',
    agreement: agreement === null ? null : { right: agreement.right, of: agreement.of, ...agreement.interval },
  };
}

function toPolicyAudit({ policyVersion, drawn, isWeekly, all, automatic }: PolicyAudit): PolicyAuditAnswer {
  const error = measureAudit(all);
  return {
    policy_version: policyVersion,
    drawn,
    error,
    error_automatic: measureAudit(automatic),
    sentence: describeAudit(error, isWeekly),
  };
}

const noCounts: FindingCounts = byName(findingKinds, () => 0);

export const labellingHandlers = {
  'examples.next': async (deps, { type, caller, query }) => {
    const reader = nameReader(deps.store, caller, query.reader);
    const next = await takeNextExamples(deps, type, { ...query, reader });
    return {
      items: next.items.map((item) => ({ ...item, example: toExample(item.example) })),
      remaining: next.remaining,
      recent_accuracy: next.recent.of === 0 ? null : next.recent.right / next.recent.of,
      recent: next.recent,
      stop_hint: deps.store.policies.findForecast(type.id),
      labelling_model: { examples_read: next.examplesRead, labels: next.labels, drawn: next.drawn },
    };
  },

  'examples.suggest': async (deps, { type, body }) => {
    const found = await suggestLabels(deps, type, body.ids);
    return { items: found.map(({ id, suggestion }) => ({ example_id: id, suggestion })) };
  },

  'examples.numbers': (deps, { type }) => ({
    items: describeNumbers(deps, type),
  }),

  'examples.similar': async (deps, { type, params, query }) => {
    const similar = await findSimilarExamples(deps, type, params.example_id, {
      count: query.count,
      among: query.near_copies ? 'copies' : query.labelled ? 'labelled' : 'all',
    });
    return { items: similar.map(({ example, similarity }) => ({ example: toExample(example), similarity })) };
  },
  'teacher_labelling.start': (deps, { type, caller, body }) => {
    const { min_agreement: minAgreement, min_probability: minProbability, max_examples: maxExamples } = body;
    const request = { minAgreement, minProbability, maxExamples };
    return toTeacherLabelling(deps.teacherLabellings.start(caller, type, request));
  },

  'teacher_labelling.get': (deps, { type }) => toTeacherLabelling(deps.teacherLabellings.read(type.id)),

  'teacher_labelling.cancel': async (deps, { type }) =>
    toTeacherLabelling(await deps.teacherLabellings.cancel(type.id)),

  'audit.get': ({ store, clock }, { type }) => {
    const policies = store.audits.countByPolicy(type.seq, clock.now()).map(toPolicyAudit);
    const deployed = store.deployments.find(type.id);
    const version = deployed === null ? null : store.policies.byId(deployed.id)?.version;
    return {
      audit: type.audit,
      to_judge:
        store.labelling.countQueue(type.id, { kind: 'audit' }) + store.audits.countWaiting(type.seq, clock.now()),
      deployed: policies.find(({ policy_version }) => policy_version === `v${version}`) ?? null,
      policies,
    };
  },

  'data_findings.list': async (deps, { type, query }) => {
    const state = await findDataProblems(deps, type);
    const { items, counts } = state.known?.result ?? { items: [], counts: noCounts };
    const matching = query.kind === undefined ? items : items.filter(({ kind }) => kind === query.kind);
    const from = (query.page - 1) * query.page_size;
    const page = matching.slice(from, from + query.page_size).map((finding) => {
      const [first] = finding.example_ids;
      const example = first === undefined ? null : deps.store.examples.get(type.id, first);
      return { ...finding, example: example && toExample(example) };
    });
    return { ...toPage(page, matching.length, query), counts, ...toAnalysisState(state) };
  },

  'second_readings.draw': (deps, { type, body }) => drawSecondReadings(deps, type, body),

  'second_readings.give': (deps, { type, caller, params, body }) => {
    const reader = nameReader(deps.store, caller, body.reader);
    return toExample(giveSecondReading(deps, type, params.example_id, { ...body, reader }));
  },

  'examples.labels': (deps, { type, params }) => {
    const { id } = findExample(deps, type, params.example_id);
    const items = deps.store.labelHistory.list(id);
    return { items: items.map(({ givenAt, ...entry }) => ({ ...entry, given_at: isoTime(givenAt) })) };
  },

  'agreement.get': ({ store }, { type }) => {
    const { byOption: by_option, ...agreement } = measureAgreement(store.labelHistory.listLabels(type.id));
    return { ...store.labelHistory.count(type.id), ...agreement, by_option, sentence: describeAgreement(agreement) };
  },
} satisfies Handlers;
