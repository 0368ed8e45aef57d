/** Names that callers decide by: one name space, without signs that nobody sees, and without twins. */
import { describe, expect, it } from 'vitest';
import { toSkeleton } from '../../../src/engine/domain/look-alikes.ts';
import { deployForAll, loanExamples, loanType, openForTest, sendForm } from '../workbench.ts';

const types = '/api/v1/decision-types';
const input = { applicant: { score: 700 }, amount: 60_000, purpose: 'car', employed: true };
const options = ['a', 'b'];

describe('a name', () => {
  const folder = deployForAll(loanType, loanExamples(40));
  const open = async () => {
    const { app, call, deps, token } = await openForTest({ dataDir: folder.copy() });
    const id = folder.url.split('/').at(-1) ?? '';
    return {
      call,
      id,
      decide: async (name: string) => {
        const { status, body } = await call('POST', '/api/v1/decide', { decision_type: name, input });
        return [status, body.release ?? body.error.code];
      },
      make: (name: string) => call('POST', types, { name, options }),
      /** Gives a type a name as earlier programs let it have. */
      callAsBefore: (typeId: string, name: string) => {
        const type = deps.store.decisionTypes.find(typeId);
        if (type === null) throw new Error('There is no such type.');
        deps.store.decisionTypes.update({ ...type, name }, false);
      },
      importAs: async (name: string) => {
        const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
        const { rawPayload } = await app.inject({ url: `${folder.url}/archive`, headers });
        return sendForm(call, `${types}/import`, new File([Uint8Array.from(rawPayload)], 'type.zip'), { name });
      },
    };
  };

  it('of a release or an alias cannot be taken by a type, at any door [TYP-40] [REL-9]', async () => {
    const { call, id, decide, make, callAsBefore, importAs } = await open();
    await call('PUT', `${folder.url}/aliases/prod`, { release: 1 });
    const other = (await make('other')).body.id;
    for (const taken of ['loan@prod', 'loan@1', 'p@1', 'latest', 'jev-latest', '.', '..']) {
      const doors = [
        await make(taken),
        await call('PUT', `${types}/${other}`, { name: taken }),
        await importAs(taken),
        await sendForm(call, '/api/v1/imports', new File(['n,answer\n1,yes\n2,no\n'], 'rows.csv'), { name: taken }),
      ];
      expect(doors.map(({ status, body }) => [status, body.error.details?.[0].loc])).toEqual(
        doors.map(() => [422, ['body', 'name']]),
      );
    }
    // Where one has it from an earlier program, the release decides all the same.
    callAsBefore(other, 'loan@prod');
    expect([await decide('loan@prod'), await decide('loan@1')]).toEqual([
      [200, 1],
      [200, 1],
    ]);
    callAsBefore(other, 'loan@7');
    expect(await decide('loan@7')).toEqual([404, 'not_found']);
    callAsBefore(id, 'mail@home');
    expect(await decide('mail@home')).toEqual([200, 1]);
    expect(await decide('mail@home@1')).toEqual([200, 1]);
    const { body } = await call('GET', `${types}/${id}`);
    expect(body.name_notice).toBe(
      'The name must not hold @, behind which callers name a release. Rename the type, for example to "mail at home".',
    );
    expect((await call('PUT', `${types}/${id}`, { name: 'mail@home', description: 'as it was' })).status).toBe(200);
    expect((await call('PUT', `${types}/${id}`, { name: 'mail at home' })).body.name_notice).toBe(null);
  });

  it('that looks like another is refused, wherever a type comes from [TYP-41]', async () => {
    const { call, id, make, callAsBefore, importAs } = await open();
    const twins = ['1oan', 'l\u043ean', 'lo\u0251n', '\uff4coan', ' loan', '\u217coan'];
    for (const twin of twins) {
      const refused = [await make(twin), await importAs(twin)];
      expect(refused.map(({ status }) => status)).toEqual([409, 409]);
    }
    expect((await make('1oan')).body.error.message).toBe(
      'The decision type "loan" looks the same: take another name, or rename that one.',
    );
    const other = (await make('loans')).body.id;
    expect((await call('PUT', `${types}/${other}`, { name: '1oan' })).status).toBe(409);
    expect((await call('DELETE', folder.url)).status).toBe(204);
    expect((await call('PUT', `${types}/${other}`, { name: '1oan' })).status).toBe(200);
    expect((await call('POST', `${folder.url}/restore`)).status).toBe(409);
    await call('PUT', `${types}/${other}`, { name: 'loans' });
    expect((await call('POST', `${folder.url}/restore`)).status).toBe(200);
    callAsBefore(other, 'l\u043ean');
    const { items } = (await call('GET', types)).body;
    expect(items.map(({ name_notice: notice }: { name_notice: string }) => notice)).toEqual([
      'The name looks like "loan". Rename the type, for example to "l\u043ean 2".',
      'The name looks like "l\u043ean". Rename the type, for example to "loan 2".',
    ]);
    // Both go on under their names, also where these are sent again.
    expect((await call('PUT', `${types}/${id}`, { name: 'loan' })).status).toBe(200);
  });

  it('of a type, an option, a reason code, a rule or a field holds nothing that nobody sees [TYP-42]', async () => {
    const { call } = await openForTest();
    const make = (changes: object) => call('POST', types, { name: 'triage', options, ...changes });
    const rule = (name: string) => ({ name, condition: 'true', then: 'a' });
    for (const odd of [
      'p1\u200b',
      'a\u202eb',
      'cafe\u0301',
      'a\u0007b',
      'a\u00adb',
      'a\u2028b',
      'p\u200d1',
      'x\u3164',
    ]) {
      const answers = [
        await make({ name: odd }),
        await make({ options: ['b', odd] }),
        await make({ reason_codes: [odd] }),
        await make({ rules: [rule(odd)] }),
        await make({ input_schema: { type: 'object', properties: { [odd]: {} } } }),
      ];
      expect(answers.map(({ status, body }) => [status, body.error?.details?.[0].loc])).toEqual([
        [422, ['body', 'name']],
        [422, ['body', 'options', 1]],
        [422, ['body', 'reason_codes', 0]],
        [422, ['body', 'rules', 0, 'name']],
        [422, ['body', 'input_schema', odd]],
      ]);
    }
    // Joiners are parts of words and of emoji.
    const made = await make({ options: ['نمی\u200cخواهم', '👩\u200d⚕\ufe0f', 'café'], rules: [] });
    expect([made.status, made.body.error]).toEqual([201, undefined]);
    const url = `${types}/${made.body.id}`;
    expect((await call('POST', `${url}/options/rename`, { from: 'café', to: 'cafe\u0301' })).status).toBe(422);
    // A file's labels are cleaned: nobody could clean them by hand.
    const content = 'text,decision\nmilk,cafe\u0301\ntea,caf\u00e9\u200b\n';
    await call('POST', `${url}/examples/import`, { format: 'csv', content, commit: true });
    expect((await call('GET', `${url}/examples/stats`)).body.by_option).toMatchObject({ café: 2 });
  });
});

it('the skeleton of a name is equal where two look the same [TYP-41]', () => {
  const pairs = ['paypal раураl', 'modern rnodern', 'O0 00', 'ﬁle file', 'Ηello Hello'];
  for (const pair of pairs) {
    const [one = '', other = ''] = pair.split(' ');
    expect([pair, toSkeleton(one)]).toEqual([pair, toSkeleton(other)]);
  }
  for (const [one, other] of [
    ['café', 'cafe'],
    ['loan', 'Loan'],
    ['p1', 'p2'],
  ] as const) {
    expect(toSkeleton(one)).not.toBe(toSkeleton(other));
  }
});
