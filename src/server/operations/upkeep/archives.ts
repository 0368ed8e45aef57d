/** Decision types as files, and bundles that come to decide. */
import { LargeBody } from '../../preparation/preparation.ts';
import { importPolicy, importType, type MovedType, packType } from '../../services/upkeep/moving-types.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { Deps, Handlers } from '../context.ts';
import { describeReleases } from '../policies/releases.ts';
import { toDecisionType } from '../types/decision-type-wire.ts';

const toUpload = <Body>(body: Body | LargeBody) =>
  body instanceof LargeBody ? { bytes: body.bytes, contentType: body.contentType } : body;

const toMoved = (deps: Deps, { type, ...moved }: MovedType) => ({
  decision_type: toDecisionType(deps, type),
  ...moved,
});

export const archiveHandlers = {
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
} satisfies Handlers;
