/** The service, its clock, alerts, backups and text models; types as files, and the stream of events. */
import { statSync } from 'node:fs';
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { toCallerId } from '../../auth/caller.ts';
import { findAddressProblem } from '../../connections/address.ts';
import type { OutputOf } from '../../contract/operations.ts';
import type { Backup, TextModelEntry } from '../../contract/upkeep/upkeep.ts';
import type { StoredBackup } from '../../data-folder/caretaker.ts';
import { LargeBody } from '../../preparation/preparation.ts';
import { isoTime } from '../../process/clock.ts';
import type { TextModel } from '../../runtime/encoder/text-model.ts';
import { checkHealth, writeMetrics } from '../../services/upkeep/health.ts';
import { importPolicy, importType, type MovedType, packType } from '../../services/upkeep/moving-types.ts';
import { addTextModel, removeTextModel } from '../../services/upkeep/text-models.ts';
import type { ClockState } from '../../services/upkeep/trusted-time.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { Deps, Handlers } from '../context.ts';
import { describeReleases } from '../policies/releases.ts';
import { toDecisionType } from '../types/decision-types.ts';

function toClock({ now, trustedAt, leapMs }: ClockState) {
  return {
    now: isoTime(now),
    trusted_at: isoTime(trustedAt),
    state: leapMs === null ? ('trusted' as const) : ('in doubt' as const),
    leap_seconds: leapMs === null ? null : Math.round(leapMs / 1_000),
  };
}

function readAlerts({ alerts, alertReceiver }: Deps, organisationId: string): OutputOf<'alerts.get'> {
  const isShown = (of: { organisationId: string | null }) =>
    of.organisationId === null || of.organisationId === organisationId;
  const receiver = alertReceiver.describe();
  const { last } = alerts;
  return {
    receiver: receiver && {
      kind: receiver.kind,
      to: receiver.to,
      private_network: receiver.isPrivate,
      set_at_start: receiver.isFixed,
    },
    firing: alerts
      .listFiring()
      .filter(isShown)
      .map(({ organisationId: _whose, ...firing }) => firing),
    last: last && isShown(last) ? { alert: last.alert, at: last.at, tries: last.tries, error: last.error } : null,
  };
}

const toUpload = <Body>(body: Body | LargeBody) =>
  body instanceof LargeBody ? { bytes: body.bytes, contentType: body.contentType } : body;

const toMoved = (deps: Deps, { type, ...moved }: MovedType) => ({
  decision_type: toDecisionType(deps, type),
  ...moved,
});

const toBackup = ({ name, manifest }: StoredBackup): Backup => ({
  name,
  created_at: manifest.created_at,
  size_bytes: manifest.files.reduce((sum, file) => sum + file.size_bytes, 0),
  files: manifest.files.length,
  with_secrets: manifest.with_secrets,
});

const toEntry = (model: TextModel): TextModelEntry => ({
  name: model.name,
  own: model.isOwn,
  base_model: model.facts.base_model,
  languages: model.facts.languages,
  size_mb: [model.encoderPath, model.tokenizerPath].reduce((sum, file) => sum + statSync(file).size, 0) / 1e6,
});

/** A text model in the list, which one that has lost its files does not take along. */
function toListed(model: TextModel): TextModelEntry {
  try {
    return toEntry(model);
  } catch (error) {
    const isGone =
      error instanceof WorkbenchError ? error.code === 'unavailable' : error instanceof Error && 'syscall' in error;
    if (!isGone) throw error;
    const base = model.isOwn
      ? 'not known: its files are gone; remove it, and add it again'
      : `not installed: npm install decision-workbench-${model.name}`;
    return { name: model.name, own: model.isOwn, base_model: base, languages: [], size_mb: 0 };
  }
}

export const upkeepHandlers = {
  'system.root': (deps, { baseUrl }) => ({
    service: 'Decision Workbench',
    by: 'decision-workbench',
    version: deps.toolVersion,
    documentation: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    health: `${baseUrl}/health`,
  }),
  'system.health': () => ({ status: 'ok' }),
  'system.ready': (deps) => checkHealth(deps),
  'system.metrics': (deps, { caller }) => ({
    download: true,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: Buffer.from(writeMetrics(deps, caller)),
  }),
  'system.openapi': (deps) => deps.openApi(),
  'system.jwks': (deps) => deps.auth.issuer.jwks(),
  'clock.get': (deps) => toClock(deps.trustedTime.look()),
  'clock.confirm': (deps) => toClock(deps.trustedTime.confirm()),

  'alerts.get': (deps, { caller }) => readAlerts(deps, caller.organisationId),

  'alerts.set'(deps, { caller, body: { url, private_network: privateNetwork } }) {
    if (deps.alertReceiver.describe()?.isFixed) {
      throw new WorkbenchError('conflict', 'Where alerts are sent was said at the start of the program; say it there.');
    }
    const problem = url === null ? null : findAddressProblem({ url, privateNetwork });
    if (problem !== null) throw toValidationError([toInvalidValue(['body', 'url'], problem)]);
    const secret = deps.alertReceiver.setWebhook(url === null ? null : { url, privateNetwork });
    return { ...readAlerts(deps, caller.organisationId), secret };
  },

  async 'alerts.test'(deps) {
    const receiver = deps.alertReceiver.describe();
    if (receiver === null) throw new WorkbenchError('conflict', 'Alerts are sent to nobody. Set a webhook first.');
    const problem = await deps.alerts.test();
    return { ok: problem === null, message: problem ?? `It arrived at ${receiver.to}.` };
  },

  'decision_types.archive': async (deps, { caller, type }) => ({
    download: true,
    contentType: 'application/zip',
    fileName: `${type.name}.workbench.zip`,
    body: await packType(deps, caller, type),
  }),

  'decision_types.import': async (deps, { caller, body, receipt }) =>
    toMoved(deps, await importType(deps, caller, toUpload(body), (moved) => receipt?.keep(toMoved(deps, moved)))),

  'policies.import': async (deps, { caller, type, body, ifMatch, receipt }) => {
    const toAnswer = (release: ReleaseRecord) => describeReleases(deps, type)(release);
    const order = { upload: toUpload(body), ifMatch };
    return toAnswer(await importPolicy(deps, caller, type, order, (made) => receipt?.keep(toAnswer(made))));
  },

  'backups.list': ({ caretaker }) => caretaker.listBackups().map(toBackup),
  'backups.create': async ({ caretaker }, { body }) => toBackup(await caretaker.backUp(body.with_secrets)),
  'backups.verify': async ({ caretaker }, { params: { backup_name: name } }) => ({
    name,
    problems: await caretaker.verify(name),
  }),
  async 'backups.restore'({ caretaker }, { params, body: { folder } }) {
    await caretaker.restore(params.backup_name, folder);
    return { folder };
  },

  'events.stream': ({ events }, { caller }) => ({
    download: true,
    contentType: 'text/event-stream',
    body: events.open(caller.organisationId, toCallerId(caller)),
  }),

  'text_models.list': ({ runtime }) => runtime.textModels.map(({ model }) => toListed(model)),
  'text_models.add': async (deps, { caller, body }) => {
    const { model, notes } = await addTextModel(deps, caller, body.folder, body.name);
    return { ...toEntry(model), notes };
  },
  'text_models.delete': (deps, { params }) => removeTextModel(deps, params.text_model),
} satisfies Handlers;
