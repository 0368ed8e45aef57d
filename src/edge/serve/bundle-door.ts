/** The door over bundle files: each type is served once, by the version of its file that can be used. */
import { createHash, randomUUID } from 'node:crypto';
import { Deciding } from '../../door/deciding/deciding.ts';
import type { Decided, Door, Named } from '../../door/deciding/door.ts';
import {
  type DoorWords,
  findAnswering,
  indexQuestions,
  type QuestionIndex,
  readMarks,
} from '../../door/questions/find-answering.ts';
import type { ServiceMetrics } from '../../door/service-metrics.ts';
import { createTurns } from '../../door/turns.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import { redactPii } from '../../engine/pii.ts';
import type { OpenBundle } from '../predictor.ts';
import type { Recorder } from './recorder.ts';
import type { ServedBundle, ServiceLog } from './served-bundles.ts';

/** The caller, who has no account. */
type Anybody = null;
export type Served = Named & { facts: { digest: string; bundle_digest: string }; opened: OpenBundle };

/** The one organisation whose decisions a service counts. */
export const countedSeq = 1;

/** The workbench knows this form as that of a value it does not have: its digest needs a key, which no bundle holds. */
const mask = `pii:${'0'.repeat(24)}`;
/** Fewer digits of a digest name no release. */
const minPinDigits = 8;

const words: DoorWords = {
  there: 'Served',
  howToMark: 'Say so under Deploy of the workbench, and export the bundle again.',
};

type Parts = {
  bundles: ReadonlyMap<string, ServedBundle>;
  metrics: ServiceMetrics;
  recorder: Recorder | null;
  log: ServiceLog;
};

/** Opens the door over bundles; without a recorder no decision is logged. */
export function openBundleDoor({ bundles, metrics, recorder, log }: Parts) {
  const compiled = new WeakMap<OpenBundle, Served>();
  const find = (name: string): Served => {
    const { opened } = findBundle(bundles, name);
    const known = compiled.get(opened) ?? toServed(opened);
    compiled.set(opened, known);
    return known;
  };
  const door: Door<Anybody, Served> = {
    monotonic: () => performance.now(),
    createTurns: () => createTurns({ monotonic: () => performance.now() }),
    find: (_, name) => find(name),
    findAnswering: (_, model, question) =>
      findAnswering(indexBundles(bundles), model, question, {
        digest: (text) => createHash('sha256').update(text).digest('hex'),
        isTaken: (name) => bundles.has(name),
        findNamed(name) {
          const { info } = find(name).opened;
          return { id: info.decision_type, name: info.decision_type, options: info.options };
        },
      }),
    toCallerId: () => '',
    admit: () => undefined,
    askModel: null,
    tellsUnread: true,
    async record(_, decided, alongside) {
      await recorder?.add(decided.map((each) => JSON.stringify(toLine(each))));
      alongside?.();
    },
    note: (_, { found, answer }) => metrics.countDecision(countedSeq, found.typeName, answer),
    countRefusal: (code) => metrics.countRefusal(code),
    logFault: (error, requestId) => log.error(`An item of the request ${requestId} failed: ${describeFault(error)}`),
  };
  return { door, deciding: new Deciding(door) };
}

export type BundleDoor = ReturnType<typeof openBundleDoor>;

/** A fault with where it comes from, for the log. */
export const describeFault = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

function toServed(opened: OpenBundle): Served {
  const { info, decider } = opened;
  const { digest, bundle_digest, fields, decision_type: typeName } = info;
  return { typeName, decider, opened, facts: { digest, bundle_digest }, listFields: () => fields };
}

/**
 * Finds the bundle of a type, which may be pinned by the digest of its release or an alias of it. As in the workbench
 * what follows the `@` behind a type that is served is a pin and nothing else.
 */
function findBundle(bundles: ReadonlyMap<string, ServedBundle>, name: string): ServedBundle {
  const at = name.lastIndexOf('@');
  const pinned = at < 0 ? undefined : bundles.get(name.slice(0, at));
  const bundle = pinned ?? bundles.get(name);
  if (bundle === undefined) {
    const served = [...bundles.keys()].join(', ');
    throw new WorkbenchError('decision_type_not_found', `The decision type does not exist. Served here: ${served}.`);
  }
  if (pinned === undefined) return bundle;
  const pin = name.slice(at + 1);
  const { info, bundle: packed } = bundle.opened;
  const { aliases = [] } = packed.manifest;
  if (aliases.includes(pin) || (pin.length >= minPinDigits && info.digest.startsWith(pin))) return bundle;
  const others = aliases.length === 0 ? '' : ` or ${aliases.map((alias) => JSON.stringify(alias)).join(', ')}`;
  const message = `“${bundle.name}” is served in one release: a bundle does not know its number, and has the aliases that it was exported with. Leave out what follows the "@", or write ${info.digest.slice(0, 12)}${others} there.`;
  throw new WorkbenchError('not_found', message);
}

function indexBundles(bundles: ReadonlyMap<string, ServedBundle>): QuestionIndex {
  const types = [...bundles.values()].map(({ name, opened: { info } }) => ({ id: name, name, options: info.options }));
  const marks = [...bundles.values()].flatMap(({ name, opened: { bundle } }) =>
    readMarks(name, bundle.manifest.questions),
  );
  return indexQuestions(types, marks, words);
}

/** A decision as the log has it, by the names of the workbench's log and without personal values. */
function toLine({ found, input, answer }: Decided<Served>): object {
  const { bundle, info } = found.opened;
  const { bundle_digest: _bundle, unread: _unread, trace: _trace, escalate, ...kept } = answer;
  return {
    id: randomUUID(),
    decision_type: info.decision_type,
    input: redactPii(input, bundle.manifest.pii_fields ?? [], () => mask),
    ...kept,
    escalated: escalate,
    decision_type_version: info.version,
    created_at: new Date().toISOString(),
  };
}
