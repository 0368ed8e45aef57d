/** What the services promise to whoever calls them, whatever the wire looks like: on a real database, without a port. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import type { Caller } from '../../../src/server/auth/caller.ts';
import { listOperations } from '../../../src/server/contract/operations.ts';
import type { Deps } from '../../../src/server/operations/context.ts';
import { awaitTurn } from '../../../src/server/operations/run-operation.ts';
import { newExample } from '../../../src/server/preparation/examples/new-example.ts';
import {
  chargeCredits,
  choosePlan,
  connectModel,
  disconnectModel,
} from '../../../src/server/services/account/connections.ts';
import { correctDecision } from '../../../src/server/services/deciding/logged-decisions.ts';
import {
  addExampleRows,
  addExamples,
  changeExamples,
  undoExampleChange,
} from '../../../src/server/services/examples/examples.ts';
import { generateExamples } from '../../../src/server/services/examples/generation.ts';
import { createFromSample, listSamples } from '../../../src/server/services/examples/samples.ts';
import { createDecisionType, findDecisionType } from '../../../src/server/services/types/decision-types.ts';
import { renameOption, undoOptionChange } from '../../../src/server/services/types/option-changes.ts';
import { deleteDecisionType } from '../../../src/server/services/types/type-deletion.ts';
import { ExampleRowWriter } from '../../../src/server/store/examples/examples.ts';
import { says, startStub } from '../teacher-stub.ts';
import {
  deployForAll,
  loanExamples,
  loanType,
  makeType,
  openForTest,
  stoppedClock,
  temporaryFolder,
} from '../workbench.ts';

const resourcesDir = join(import.meta.dirname, '../../../resources');

async function open(options: Parameters<typeof openForTest>[0] = {}, clock = stoppedClock()) {
  const opened = await openForTest({ synchronous: 'NORMAL', ...options }, clock);
  const authenticated = await opened.deps.auth.authenticate(`Bearer ${opened.token}`, {});
  if (authenticated === null) throw new Error('the owner is not known');
  return { ...opened, caller: authenticated.caller };
}

async function openType(fields: Record<string, unknown> = {}) {
  const opened = await open();
  const type = findDecisionType(opened.deps, opened.caller, await makeType(opened.call, fields));
  return { ...opened, type };
}

const countUsage = ({ store }: Deps, { organisationSeq }: Caller) =>
  store.credits.usage({ organisationSeq, sinceMs: 0, operation: null, page: 1, pageSize: 1 }).total;

/** The error that `work` ends with. */
async function failureOf(work: () => unknown): Promise<WorkbenchError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('examples', () => {
  it('are added all or none: one that cannot be stored leaves nothing of the others', async () => {
    const { deps, type } = await openType();
    const make = (n: number) => newExample(deps, type, { input: { n }, decision: 'yes', reasonCodes: [] }, 1);
    const [first, second] = [make(1), make(2)];
    expect(() => addExamples(deps, type, [first, second, { ...make(3), id: first.id }], ['body'])).toThrow(/UNIQUE/);
    expect(deps.store.examples.count(type.id)).toBe(0);
    addExamples(deps, type, [first, second], ['body']);
    expect(deps.store.examples.page(type.id, {}, 1, 10).examples).toEqual([second, first]);
  });

  it('of a large call are added all or none, in turn, and nobody is shown a part of them', async () => {
    const { deps, type } = await openType();
    const write = (from: number, count: number, lastId?: string) => {
      const rows = new ExampleRowWriter(type.id, 1);
      for (let n = from; n < from + count; n += 1) {
        const example = newExample(deps, type, { input: { n }, decision: 'yes', reasonCodes: [] }, 1);
        rows.add({ ...example, id: lastId !== undefined && n === from + count - 1 ? lastId : example.id });
      }
      return rows.finish();
    };
    const before = newExample(deps, type, { input: {}, decision: 'yes', reasonCodes: [] }, 1);
    addExamples(deps, type, [before], ['body']);
    const add = (rows: ReturnType<typeof write>) => addExampleRows(deps, type, rows, ['body']);
    const additions = [add(write(0, 1_200, before.id)), add(write(2_000, 1_200)), add(write(4_000, 1_200, before.id))];
    const shown = deps.exampleAdditions.whenDone(type.id)?.then(() => deps.store.examples.count(type.id));
    const atOnce = listOperations().filter(
      ({ row }) => awaitTurn(deps, row, { decision_type_id: type.id }) === undefined,
    );
    const ended = await Promise.allSettled(additions);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    // Who decides, or asks for logs or policies, does not wait for them.
    const names = [
      'decide',
      'decide.batch',
      'deployments.list',
      'examples.cancel',
      'logs.export',
      'logs.list',
      'logs.verify',
      'metrics.days',
      'metrics.type',
      'models.ask_decisions',
      'models.ask_systemone',
      'policies.list',
      'policies.progress',
      'policies.replay',
      'questions.bind',
      'questions.forget',
      'questions.list',
      'releases.list',
    ];
    expect(atOnce.map(({ name }) => name).sort()).toEqual(names);
    expect(await shown).toBe(1_201);
    expect(deps.exampleAdditions.whenDone(type.id)).toBe(undefined);
    const numbers = deps.store.examples.page(type.id, {}, 1, 2_000).examples.map(({ input }) => Number(input['n']));
    expect(numbers.slice(0, 1_200)).toEqual(Array.from({ length: 1_200 }, (_, index) => 3_199 - index));
    expect(deps.db.prepare('SELECT count(*) FROM unfinished_example_parts').pluck().get()).toBe(0);
  });

  it('that an earlier run left in parts go before anybody asks for them', async () => {
    const { deps, type } = await openType();
    const rows = new ExampleRowWriter(type.id, 1);
    rows.add(newExample(deps, type, { input: {}, decision: 'yes', reasonCodes: [] }, 1));
    deps.store.transaction(() => deps.store.examples.insertPart(rows.finish(), 0));
    await deps.exampleAdditions.settle();
    expect(deps.store.examples.count(type.id)).toBe(0);
  });

  it('take one undo for each change, and none while an option is renamed [EXA-15] [OPT-4]', async () => {
    const { deps, caller, type } = await openType();
    const example = newExample(deps, type, { input: {}, decision: 'yes', reasonCodes: [] }, 1);
    addExamples(deps, type, [example], ['body']);
    const relabel = async () => changeExamples(deps, type, { ids: [example.id] }, { set: 'decision', to: 'no' }, null);
    const { undoToken } = await relabel();
    expect(await undoExampleChange(deps, type, undoToken, null)).toEqual({ affected: 1 });
    expect((await failureOf(() => undoExampleChange(deps, type, undoToken, null))).code).toBe('conflict');
    const later = await relabel();
    const renamed = await renameOption(deps, caller, type.id, { from: 'no', to: 'never', commit: true });
    expect((await failureOf(() => undoExampleChange(deps, type, later.undoToken, null))).code).toBe('conflict');
    expect(deps.store.examples.get(type.id, example.id)?.decision).toBe('never');
    await undoOptionChange(deps, caller, type.id, renamed.undoToken ?? '');
    expect(await undoExampleChange(deps, type, later.undoToken, null)).toEqual({ affected: 1 });
    expect(deps.store.examples.get(type.id, example.id)?.decision).toBe('yes');
  });

  it('can be undone far back while what is kept is small, and the newest ten however large it is [EXA-12]', async () => {
    const { deps, type } = await openType();
    const text = 'x'.repeat(1_000_000);
    const add = (input: { text: string }) => {
      const example = newExample(deps, type, { input, decision: 'yes', reasonCodes: [] }, 1);
      addExamples(deps, type, [example], ['body']);
      return example.id;
    };
    const drop = async (ids: string[]) => (await changeExamples(deps, type, { ids }, 'delete', null)).undoToken;
    const tokens: string[] = [];
    for (let at = 0; at < 40; at += 1) tokens.push(await drop([add({ text: 'short' })]));
    for (let round = 0; round < 12; round += 1) await drop(Array.from({ length: 8 }, () => add({ text })));
    expect(deps.store.exampleChanges.find(tokens.at(-1) ?? '', type.id)).toBeNull();
    const kept = deps.db
      .prepare('SELECT count(DISTINCT token), sum(octet_length(rows)) FROM example_undo_parts')
      .raw()
      .get();
    expect(kept).toEqual([10, expect.closeTo(80_000_000, -6)]);
    const small: string[] = [];
    for (let at = 0; at < 9; at += 1) small.push(await drop([add({ text: 'short' })]));
    for (const undoToken of small.toReversed()) {
      expect(await undoExampleChange(deps, type, undoToken, null)).toEqual({ affected: 1 });
    }
  });

  it('are counted by their labels alone, also where an option is named like a member of every object', async () => {
    const { deps, caller, type } = await openType({ options: ['constructor', 'toString'] });
    const touches = async (from: string) =>
      (await renameOption(deps, caller, type.id, { from, to: 'plain', commit: false })).touches.examples;
    expect([await touches('constructor'), await touches('toString')]).toEqual([0, 0]);
    const example = newExample(deps, type, { input: {}, decision: 'toString', reasonCodes: [] }, 1);
    addExamples(deps, type, [example], ['body']);
    expect([await touches('constructor'), await touches('toString')]).toEqual([0, 1]);
  });
});

describe('a sample project', () => {
  const sample = (examples: object[]) => ({
    title: 'Large',
    description: 'As many examples as you like',
    decision_type: { name: 'large', options: ['yes', 'no'] },
    examples,
  });

  /** A program folder with one sample of our own beside the real text model. */
  function makeResources(content: object): string {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'samples'));
    symlinkSync(join(resourcesDir, 'models'), join(folder, 'models'));
    writeFileSync(join(folder, 'samples', 'large.json'), JSON.stringify(content));
    return folder;
  }

  it('obeys the limit of a type, and leaves no type behind where it does not fit [EXA-10]', async () => {
    const tooMany = sample(Array.from({ length: 200_001 }, () => ({ input: {}, decision: 'yes' })));
    const { deps, caller } = await open({ resourcesDir: makeResources(tooMany) });
    expect(await listSamples(deps)).toMatchObject([{ name: 'large', examples: { length: 200_001 } }]);
    const error = await failureOf(() => createFromSample(deps, caller, 'large'));
    expect([error.code, error.details]).toEqual([
      'validation_error',
      [expect.objectContaining({ requested: 200_001, maximum: 200_000, remaining: 200_000 })],
    ]);
    expect(deps.store.decisionTypes.count(caller.organisationId)).toBe(0);
  });

  it('is made once under its name, with all of its examples', async () => {
    const { deps, caller } = await open({ resourcesDir: makeResources(sample([{ input: { a: 1 }, decision: null }])) });
    const type = await createFromSample(deps, caller, 'large');
    expect(deps.store.examples.page(type.id, {}, 1, 10)).toMatchObject({
      total: 1,
      examples: [{ input: { a: 1 }, decision: null, source: 'user', reviewed: false, createdAt: type.createdAt }],
    });
    expect((await failureOf(() => createFromSample(deps, caller, 'large'))).code).toBe('conflict');
    expect((await failureOf(() => createFromSample(deps, caller, 'other'))).code).toBe('not_found');
    expect(deps.store.decisionTypes.count(caller.organisationId)).toBe(1);
  });
});

describe('a generation', () => {
  it('that ends after its type was deleted stores and charges nothing [CRD-7]', async () => {
    const { deps, caller, type } = await openType();
    const stub = await startStub((asked, response) => {
      void deleteDecisionType(deps, caller, type.id);
      says({ examples: [{ input: { note: 'late' } }] })(asked, response);
    });
    const fields = { url: stub.url, model: 'm', privateNetwork: false, generates: true, apiKey: null };
    connectModel(deps, caller, { ...fields, name: 'slow' });
    const error = await failureOf(() => generateExamples(deps, caller, type.id, { count: 1, option: 'yes' }));
    expect([error.code, stub.asked.length]).toEqual(['decision_type_not_found', 1]);
    expect([deps.store.examples.count(type.id), countUsage(deps, caller)]).toEqual([0, 0]);
  });

  it('charges in the transaction that stores: without credits neither is done', async () => {
    const { deps, caller, type } = await openType();
    choosePlan(deps, caller, 'trial');
    const stub = await startStub(says({ examples: [{ input: { note: 'new' } }] }, 100_000));
    const fields = { url: stub.url, model: 'm', privateNetwork: false, generates: true, apiKey: null };
    const { id } = connectModel(deps, caller, { ...fields, name: 'dear' });
    const spent = { organisationSeq: caller.organisationSeq, decisionTypeId: null, referenceId: null };
    chargeCredits(deps, { ...spent, operation: 'training', credits: 4_500 });
    const generate = () => generateExamples(deps, caller, type.id, { count: 1, option: 'yes' });
    expect((await failureOf(generate)).code).toBe('insufficient_credits');
    expect([deps.store.examples.count(type.id), countUsage(deps, caller)]).toEqual([0, 1]);
    disconnectModel(deps, caller, id);
    expect(await generate()).toMatchObject([{ decision: 'yes', source: 'synthetic', reviewed: false }]);
    expect([deps.store.examples.count(type.id), countUsage(deps, caller)]).toEqual([1, 2]);
  });
});

describe('model connections', () => {
  it('are at most twenty, each with a name of its own', async () => {
    const { deps, caller } = await open();
    const fields = { url: 'https://models.example/v1', model: 'm', privateNetwork: false, apiKey: null };
    for (let n = 0; n < 20; n += 1) connectModel(deps, caller, { ...fields, name: `model ${n}`, generates: true });
    const refused = ['model 3', 'model 20'].map((name) =>
      failureOf(() => connectModel(deps, caller, { ...fields, name, generates: true })),
    );
    expect((await Promise.all(refused)).map(({ code }) => code)).toEqual(['conflict', 'conflict']);
    const generating = deps.store.connections.list(caller.organisationId).filter(({ generates }) => generates);
    expect(generating.map(({ name }) => name)).toEqual(['model 19']);
    expect(deps.store.connections.getGenerating(caller.organisationId)).toEqual(generating[0]);
  });
});

describe('a plan', () => {
  it('that is chosen again starts no new period', async () => {
    const clock = stoppedClock();
    const { deps, caller } = await open({}, clock);
    choosePlan(deps, caller, 'trial');
    const before = deps.store.accounts.getOrganisation(caller.organisationId);
    clock.move(3_600_000);
    choosePlan(deps, caller, 'trial');
    expect(deps.store.accounts.getOrganisation(caller.organisationId)).toEqual(before);
  });
});

describe('decisions', () => {
  const folder = deployForAll(loanType, loanExamples(40));

  const input = { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true };
  const openLoans = async () => {
    const opened = await open({ dataDir: folder.copy() });
    const type = findDecisionType(opened.deps, opened.caller, folder.url.split('/').at(-1) ?? '');
    return { ...opened, type };
  };

  it('are made when the call returns, and durable when it is recorded', async () => {
    const { deps, caller, type } = await openLoans();
    const request = { decision_type: 'loan', input };
    const pending = deps.deciding.decideOne(caller, request, {
      requestId: 'one',
      trace: false,
      receipt: null,
      dryRun: false,
      sharedMs: 0,
      tellsUnread: false,
      lost: [],
    });
    if (pending instanceof Promise) throw new Error('a decision from facts alone must not wait');
    expect(pending.answer).toMatchObject({ decision: 'approve', request_id: 'one' });
    expect((await deps.store.logs.page(type.seq, {}, 1, 10)).total).toBe(0);
    await pending.recorded;
    expect((await deps.store.logs.page(type.seq, {}, 1, 10)).decisions).toMatchObject([{ requestId: 'one', input }]);
  });

  it('of a batch stand each for itself: a bad item costs nothing and stops nothing [BAT-5]', async () => {
    const { deps, caller, type } = await openLoans();
    const before = countUsage(deps, caller);
    const good = { ok: true, value: { decision_type: 'loan', input } } as const;
    const unread = {
      ok: false,
      problems: [{ type: 'missing', loc: ['body', 1, 'input'], msg: 'is missing' }],
    } as const;
    const items = [
      good,
      { ...unread, problems: [...unread.problems].map((each) => ({ ...each, loc: [...each.loc] })) },
    ];
    const unknown = { ok: true, value: { decision_type: 'nobody', input } } as const;
    const outcomes = await deps.deciding.decideBatch(caller, [...items, unknown, good], {
      toItemId: (index) => `item-${index}`,
      toLost: () => [],
      dryRun: false,
    });
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.answer.request_id : outcome.error.code))).toEqual([
      'item-0',
      'validation_error',
      'decision_type_not_found',
      'item-3',
    ]);
    const { decisions } = await deps.store.logs.page(type.seq, {}, 1, 10);
    expect(decisions.map(({ requestId }) => requestId)).toEqual(['item-3', 'item-0']);
    expect(countUsage(deps, caller)).toBe(before + 2);
  });

  it('that are corrected make one reviewed example, however often [LOG-6]', async () => {
    const { deps, caller, type } = await openLoans();
    const pending = await deps.deciding.decideOne(
      caller,
      { decision_type: 'loan', input },
      { requestId: 'one', trace: false, receipt: null, dryRun: false, sharedMs: 0, tellsUnread: false, lost: [] },
    );
    await pending.recorded;
    const [logged] = (await deps.store.logs.page(type.seq, {}, 1, 10)).decisions;
    const id = logged?.id ?? '';
    const before = deps.store.examples.count(type.id);
    for (const decision of ['decline', 'approve', 'decline']) {
      expect(correctDecision(deps, type, id, { decision, reasonCodes: [] }, null).correctedDecision).toBe(decision);
    }
    expect(deps.store.examples.count(type.id)).toBe(before + 1);
    expect(deps.store.examples.getByLog(id)).toMatchObject({ input, decision: 'decline', reviewed: true });
    const wrong = { decision: 'perhaps', reasonCodes: ['GOOD_SCORE', 'NONE'] };
    const { details } = await failureOf(() => correctDecision(deps, type, id, wrong, null));
    expect(details).toMatchObject([{ loc: ['body', 'decision'] }, { loc: ['body', 'reason_codes', 1] }]);
  });
});

describe('a decision type', () => {
  it('is found by its own organisation alone, and not after it was deleted [TYP-28]', async () => {
    const { deps, caller, type } = await openType();
    const stranger = { ...caller, organisationId: deps.newId() };
    expect((await failureOf(() => findDecisionType(deps, stranger, type.id))).code).toBe('decision_type_not_found');
    await deleteDecisionType(deps, caller, type.id);
    expect((await failureOf(() => findDecisionType(deps, caller, type.id))).code).toBe('decision_type_not_found');
    expect((await failureOf(() => deleteDecisionType(deps, caller, type.id))).code).toBe('decision_type_not_found');
  });

  it('frees its name when it is deleted', async () => {
    const { deps, caller, call } = await open();
    const id = await makeType(call);
    const body = findDecisionType(deps, caller, id).activeVersion.definition;
    const request = {
      ...body,
      name: 'triage',
      description: '',
      rules: undefined,
      hard_rules: [],
      pii_fields: [],
      retention_days: null,
      fallback_option: null,
      costs: null,
      one_case: null,
      groups: null,
      audit: null,
      publish_by_hand: false,
      publish_by_another: false,
    };
    expect((await failureOf(() => createDecisionType(deps, caller, request))).code).toBe('conflict');
    await deleteDecisionType(deps, caller, id);
    expect(await createDecisionType(deps, caller, request)).toMatchObject({ name: 'triage' });
  });
});
