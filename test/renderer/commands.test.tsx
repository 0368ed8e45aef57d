import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { type Command, matchPress, searchCommands } from '../../src/renderer/commands/command.ts';
import { openPalette, Palette } from '../../src/renderer/commands/palette.tsx';
import { listCommands } from '../../src/renderer/commands/registry.ts';
import { openPage, show } from './page.tsx';

const press = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

function commandsThatNote(done: string[]): Command[] {
  const command = (id: string, title: string, keys?: string): Command => ({
    id,
    title,
    group: 'Go',
    ...(keys === undefined ? {} : { keys }),
    run: () => done.push(id),
  });
  return [
    command('train', 'Start training', 'g t'),
    { ...command('save', 'Save changes', 'Mod+S'), inFields: true },
    command('help', 'Keyboard shortcuts', '?'),
    { ...command('off', 'Start nothing'), enabled: false },
  ];
}

describe('shortcuts', () => {
  const commands = commandsThatNote([]);

  it('runs a command after its two keys, one after the other', () => {
    const first = matchPress(commands, press('g'), '', false);
    expect(first).toEqual({ command: null, pending: 'g' });
    expect(matchPress(commands, press('t'), first.pending, false).command?.id).toBe('train');
  });

  it('lets a person type in a field, except for commands that are meant for fields too', () => {
    expect(matchPress(commands, press('?', { shiftKey: true }), '', true).command).toBeNull();
    expect(matchPress(commands, press('?', { shiftKey: true }), '', false).command?.id).toBe('help');
    expect(matchPress(commands, press('s', { ctrlKey: true }), '', true).command?.id).toBe('save');
    expect(matchPress(commands, press('s', { metaKey: true }), '', true).command?.id).toBe('save');
  });

  it('follows the keys that the reader has chosen instead of its own', () => {
    const owned = listCommands(new Map([['place', commands]]), { help: 'h' });
    expect(matchPress(owned, press('?', { shiftKey: true }), '', false).command).toBeNull();
    expect(matchPress(owned, press('h'), '', false).command?.id).toBe('help');
  });
});

describe('the palette', () => {
  afterEach(cleanup);

  it('finds commands by letters in their order, and leaves out those that cannot run', () => {
    const found = (query: string) => searchCommands(commandsThatNote([]), query).map(({ id }) => id);
    expect(found('start')).toEqual(['train']);
    expect(found('svch')[0]).toBe('save');
    expect(found('xyz')).toEqual([]);
  });

  it('puts what was used last first, until something is typed', () => {
    const ids = searchCommands(commandsThatNote([]), '', ['help', 'save']).map(({ id }) => id);
    expect(ids).toEqual(['help', 'save', 'train']);
  });

  it('is worked by keyboard alone, and remembers what was used', async () => {
    const done: string[] = [];
    const page = openPage(() => Promise.reject(new Error('not asked')));
    page.commands.getState().put('test', commandsThatNote(done));
    show(<Palette />, page);
    openPalette();
    const box = await screen.findByLabelText('Search commands');
    fireEvent.change(box, { target: { value: 'keyb' } });
    await screen.findByText('Keyboard shortcuts');
    fireEvent.keyDown(box, { key: 'Enter', code: 'Enter' });
    await waitFor(() => expect(done).toEqual(['help']));
    expect(page.settings.store.getState().recent).toEqual(['help']);
  });
});
