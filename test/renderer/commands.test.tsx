import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Command, matchPress, searchCommands } from '../../src/renderer/commands/command.ts';
import { Palette } from '../../src/renderer/commands/palette.tsx';

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
});

describe('the palette', () => {
  beforeAll(() => {
    // jsdom knows the element, not its modal methods.
    HTMLDialogElement.prototype.showModal = function showModal() {
      this.open = true;
    };
    HTMLDialogElement.prototype.close = function close() {
      this.open = false;
    };
  });
  afterEach(cleanup);

  it('finds commands by any of their words and leaves out those that cannot run', () => {
    expect(searchCommands(commandsThatNote([]), 'start').map(({ id }) => id)).toEqual(['train']);
    expect(searchCommands(commandsThatNote([]), 'go chan').map(({ id }) => id)).toEqual(['save']);
  });

  it('is worked by keyboard alone: type, arrow, Enter', () => {
    const done: string[] = [];
    let closed = 0;
    render(<Palette commands={commandsThatNote(done)} onClose={() => closed++} />);
    const box = screen.getByRole('combobox', { name: 'Search commands' });
    fireEvent.keyDown(box, { key: 'ArrowDown' });
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(done).toEqual(['save']);
    fireEvent.change(box, { target: { value: 'keyb' } });
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(done).toEqual(['save', 'help']);
    expect(closed).toBe(2);
  });
});
