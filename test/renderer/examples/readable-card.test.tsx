import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ExampleCard } from '../../../src/renderer/features/examples/cards/card-view.tsx';
import { summariseInput, valueText } from '../../../src/renderer/parts/text/inputs.ts';
import type { Example } from '../../../src/server/contract/examples/examples.ts';
import type { DecisionType } from '../../../src/server/contract/types/decision-types.ts';
import { openPage, show } from '../page.tsx';

afterEach(cleanup);

const type = {
  id: '018f0000-0000-7000-8000-000000000000',
  active_version: {
    readings: { paid: { kind: 'number', decimal: ',', unit: '€' }, fee: { kind: 'number', decimal: '.', unit: '$' } },
  },
} as unknown as DecisionType;
const body = '<div class="x"><p>Hi <b>all</b>,</p><p>the caf&eacute; invoice &amp; the refund</p></div>';
const makeExample = (input_payload: Example['input_payload']): Example => ({
  id: '018f0000-0000-7000-8000-000000000001',
  decision_type_id: type.id,
  input_payload,
  expected_decision: null,
  first_decision: null,
  reason_codes: [],
  source: 'user',
  reviewed: false,
  test: false,
  must: false,
  status: 'to_label',
  note: null,
  audited: false,
  labelled_by: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
});

describe('a card shows HTML as what a person sees of it [FEA-7]', () => {
  it('with its lines, the words marked that weighed, and other fields likewise', () => {
    const start = body.indexOf('caf&eacute;');
    const words = [{ field: 'body', start, end: start + 'caf&eacute;'.length, weight: 0.3, estimated: false }];
    const example = makeExample({ body, note: '<p>see&nbsp;above</p>', plain: 'a < b' });
    show(
      <ExampleCard type={type} example={example} words={words} />,
      openPage(async () => new Response('{}')),
    );
    expect(document.querySelector('.main-text')?.textContent).toBe('Hi all,\nthe café invoice & the refund');
    expect(document.querySelector('mark')?.textContent).toBe('café');
    expect(screen.getByText('see above')).toBeTruthy();
    expect(screen.getByText('a < b')).toBeTruthy();
    expect(summariseInput({ body })).not.toMatch(/<|&amp;/);
  });

  it('and a personal value that the log keeps masked in words, not as its token', () => {
    const name = `pii:${'0f'.repeat(12)}`;
    expect(summariseInput({ name, paid: 3 })).toMatch(/name.*personal, not shown.*paid.*3/);
    expect(valueText('pii:0f')).toBe('pii:0f');
  });

  it('and money as its file has it, and a time in one format', () => {
    const example = makeExample({ paid: 1964.08, fee: -1250, at: '2026-01-31T09:05:00Z' });
    show(
      <ExampleCard type={type} example={example} headline={null} />,
      openPage(async () => new Response('{}')),
    );
    const shown = [...document.querySelectorAll('.fields td bdi')].map(({ textContent }) => textContent);
    expect(shown).toEqual(['1.964,08\u00a0€', '-$1,250', 'Jan 31, 2026, 9:05\u00a0AM']);
    expect(valueText(12.5, { kind: 'number', decimal: ',', unit: '%' })).toBe('12,5%');
    expect(valueText(900, { kind: 'number', decimal: '.', unit: 'CHF' })).toBe('CHF\u00a0900');
  });

  it('and a conversation as its turns [FEA-8]', () => {
    const chat = [
      { role: 'Customer', content: 'My card was charged twice' },
      { role: 'Agent', content: '<p>I am <b>sorry</b></p>' },
    ];
    const example = makeExample({ chat, queue: 'mail' });
    show(
      <ExampleCard type={type} example={example} headline="chat" />,
      openPage(async () => new Response('{}')),
    );
    const turns = [...screen.getByRole('region', { name: 'Conversation' }).children].map((turn) => turn.textContent);
    expect(turns).toEqual(['CustomerMy card was charged twice', 'AgentI am sorry']);
    expect(screen.getByText('mail')).toBeTruthy();
    expect(summariseInput({ chat })).toContain('Customer: My card was charged twice');
  });

  it('and so the lines of a text, with the words marked that weighed [FEA-9]', () => {
    const chat = 'Customer: My card was charged\nAgent: <p>I am <b>sorry</b></p>';
    const words = ['charged', 'sorry'].map((word) => {
      const start = chat.indexOf(word);
      return { field: 'chat', start, end: start + word.length, weight: 0.3, estimated: false };
    });
    show(
      <ExampleCard type={type} example={makeExample({ chat })} headline="chat" words={words} />,
      openPage(async () => new Response('{}')),
    );
    const turns = [...screen.getByRole('region', { name: 'Conversation' }).children].map((turn) => turn.textContent);
    expect(turns).toEqual(['CustomerMy card was charged', 'AgentI am sorry']);
    expect([...document.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['charged', 'sorry']);
  });
});
