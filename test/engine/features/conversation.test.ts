import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listInputFields } from '../../../src/engine/bundle/input-fields.ts';
import { compileUnread } from '../../../src/engine/bundle/unread.ts';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import { cutTurns, isConversation } from '../../../src/engine/features/conversation.ts';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import { featurePlanSchema } from '../../../src/engine/features/plan.ts';
import type { Json } from '../../../src/engine/json.ts';

type Case = { name: string; turns: Json[]; isConversation: boolean; text: string; readable: string };
const cases = JSON.parse(readFileSync(new URL('../../cases/conversations.json', import.meta.url), 'utf8')) as Case[];
const text = { fields: [['turns']], ngrams: null, encoder: null };
const plan = { format: 1, fields: [], tabular_size: 0, left_out: [], text };
const readBy = (changes: object, turns: Json) =>
  compileFeatures(featurePlanSchema.parse({ ...plan, text: { ...text, ...changes } })).joinText({ turns }).text;

describe('a list of turns is read as text, as the shared cases say [FEA-8]', () => {
  it.each(cases)('$name', ({ turns, ...expected }) => {
    expect(isConversation(turns)).toBe(expected.isConversation);
    expect(readBy({ conversations: [['turns']] }, turns)).toBe(expected.text);
    expect(readBy({ conversations: [['turns']], markup: true }, turns)).toBe(expected.readable);
    // Policies of before read a list as no text.
    expect(readBy({}, turns)).toBe('');
  });

  it('is found from examples, and lists of other objects stay lists', () => {
    const inputs = Array.from({ length: 20 }, (_, at) => ({
      chat: [
        { role: 'user', content: `Question ${at}` },
        { role: 'agent', content: 'An answer' },
      ],
      lines: [{ sku: `a${at}`, amount: at }],
    }));
    const found = inferPlan(inputs, null);
    expect(found.text).toEqual({ fields: [['chat']], conversations: [['chat']], ngrams: null, encoder: null });
    expect(found.fields.map(({ path, kind }) => [path.join('.'), kind])).toEqual([['lines', 'objects']]);
    expect(featurePlanSchema.parse(found)).toEqual(found);
    const parts = { plan: found, rules: { rules: [] }, inputSchema: null };
    const kinds = listInputFields(parts, () => ({ missing: null, range: null })).map(({ path, kind }) => [
      path[0],
      kind,
    ]);
    expect(kinds).toEqual([
      ['lines', 'objects'],
      ['chat', 'conversation'],
    ]);
    const unread = compileUnread(parts);
    expect(unread({ chat: inputs[0]?.chat ?? [], lines: [] })).toEqual([]);
    expect(unread({ chat: 'user: Question' })).toEqual([]);
    expect(unread({ chat: 7 })).toEqual(["'chat' must be a list of turns or a string"]);
  });
});

describe('lines of a text are turns [FEA-9]', () => {
  const toTurns = (log: string) => cutTurns(log)?.map(({ role, content }) => [role, content]) ?? null;
  it.each([
    [
      'Customer: my card\nwas charged: twice\n\nAgent: sorry',
      [
        ['Customer', 'my card\nwas charged: twice'],
        ['Agent', 'sorry'],
      ],
    ],
    [
      '\r\nUser:\r\nhi\r\nAssistant: yes: of course\r\n',
      [
        ['User', '\r\nhi'],
        ['Assistant', 'yes: of course'],
      ],
    ],
    [
      '[10:32] Anna: hi\n[10:33] Bob B.: yes\n[10:35] Anna: ok',
      [
        ['Anna', 'hi'],
        ['Bob B.', 'yes'],
        ['Anna', 'ok'],
      ],
    ],
    [
      '12/03/24, 10:32 - Zoë: hi\n12/03/24, 10:33 - Bo: x\n12/03/24, 10:34 - Zoë: y',
      [
        ['Zoë', 'hi'],
        ['Bo', 'x'],
        ['Zoë', 'y'],
      ],
    ],
    [
      'Kunde (10:32): Hallo\nBeraterin (10:33): Guten Tag',
      [
        ['Kunde', 'Hallo'],
        ['Beraterin', 'Guten Tag'],
      ],
    ],
    ['Name: Ann\nPhone: 123\nCity: Rome', null],
    ['Dear team,\nCustomer: Ann\nAgent: Bob', null],
    ['Customer: only one\nCustomer: speaks', null],
    ['see http://a.example: it is\nnothing', null],
    ['', null],
  ])('%j', (log, turns) => {
    expect(toTurns(log)).toEqual(turns);
  });

  it('in one field with lists of turns, all learned as text; a long line takes no time', () => {
    const inputs = Array.from({ length: 20 }, (_, at) => ({
      chat:
        at % 2 === 0
          ? `Customer: ${at}\nAgent: yes`
          : [
              { role: 'Customer', content: `${at}` },
              { role: 'Agent', content: 'yes' },
            ],
    }));
    const found = inferPlan(inputs, null);
    expect(found.text).toMatchObject({ fields: [['chat']], conversations: [['chat']] });
    const read = compileFeatures(found).joinText;
    expect(read(inputs[0] ?? {}).text).toBe('Customer: 0\nAgent: yes');
    expect(read(inputs[1] ?? {}).text).toBe('Customer: 1\nAgent: yes');
    const began = process.cpuUsage().user;
    for (const part of ['a ', '1:', '[', 'a: ', '(', ' ']) cutTurns(part.repeat(100_000));
    expect(process.cpuUsage().user - began).toBeLessThan(500_000);
  });
});
