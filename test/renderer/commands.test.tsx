import { globSync, readFileSync } from 'node:fs';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { RowLabels } from '../../src/edge/page/row-labels.ts';
import { type Command, matchPress, searchCommands } from '../../src/renderer/commands/command.ts';
import { listCommands } from '../../src/renderer/commands/registry.ts';
import { openPalette, Palette } from '../../src/renderer/frame/palette.tsx';
import { TextList } from '../../src/renderer/parts/fields/text-list.tsx';
import { ShortcutTable } from '../../src/renderer/parts/shortcut-table.tsx';
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

/** A layout with what its keys of 1, k and s type, and where they are on the board. */
const layouts = [
  ['US', '1', 'Digit1', 'k', 'KeyK', 's', 'KeyS'],
  ['US with caps lock', '1', 'Digit1', 'K', 'KeyK', 'S', 'KeyS'],
  ['French', '&', 'Digit1', 'k', 'KeyK', 's', 'KeyS'],
  ['Russian', '1', 'Digit1', 'л', 'KeyK', 'ы', 'KeyS'],
  ['Arabic', '١', 'Digit1', 'ن', 'KeyK', 'س', 'KeyS'],
  ['Greek', '1', 'Numpad1', 'κ', 'KeyK', 'σ', 'KeyS'],
  ['Japanese, its input method off', '1', 'Digit1', 'k', 'KeyK', 's', 'KeyS'],
  ['Dvorak', '1', 'Digit1', 'k', 'KeyV', 's', 'Semicolon'],
] as const;

describe('shortcuts', () => {
  const commands = commandsThatNote([]);

  it('runs a command after its two keys, one after the other', () => {
    const first = matchPress(commands, press('g'), '', 'rows');
    expect(first).toEqual({ command: null, pending: 'g' });
    expect(matchPress(commands, press('t'), first.pending, 'rows').command?.id).toBe('train');
  });

  it('lets a person type in a field, except for commands that are meant for fields too', () => {
    expect(matchPress(commands, press('?', { shiftKey: true }), '', 'field').command).toBeNull();
    expect(matchPress(commands, press('?', { shiftKey: true }), '', 'rows').command?.id).toBe('help');
    expect(matchPress(commands, press('s', { ctrlKey: true }), '', 'field').command?.id).toBe('save');
    expect(matchPress(commands, press('s', { metaKey: true }), '', 'field').command?.id).toBe('save');
  });

  it('runs single keys only where their rows are, and Ctrl, Alt, Escape and the question mark anywhere', () => {
    const closing = { id: 'close', title: 'Close', group: 'Go', keys: 'Escape', run: () => undefined };
    const find = (key: string, more = {}) =>
      matchPress([...commands, closing], press(key, more), '', 'elsewhere').command?.id ?? null;
    expect([find('?', { shiftKey: true }), find('g')]).toEqual(['help', null]);
    expect(matchPress(commands, press('g'), '', 'elsewhere').pending).toBe('');
    expect([find('s', { ctrlKey: true }), find('Escape')]).toEqual(['save', 'close']);
  });

  it.each(layouts)('finds keys by what they type, else by their place: %s', (_, one, digit, k, keyK, s, keyS) => {
    const command = (id: string, keys: string): Command => ({ id, title: id, group: 'Go', keys, run: () => undefined });
    const all = [command('first', '1'), command('palette', 'Mod+K'), command('skip', 's'), command('find', '/')];
    const find = (key: string, code: string, more = {}) =>
      matchPress(all, press(key, { code, ...more }), '', 'rows').command?.id ?? null;
    expect([find(one, digit), find(k, keyK, { ctrlKey: true }), find(s, keyS)]).toEqual(['first', 'palette', 'skip']);
    // A sign that Shift types is no digit, and a Latin letter is itself, wherever it stands.
    expect([find('!', 'Digit1', { shiftKey: true }), find('a', 'KeyS'), find('k', 'KeyS')]).toEqual([null, null, null]);
  });

  it.each(layouts)(
    'labels rows of a page that went by mail, and of the tab: %s',
    (_, one, digit, _k, _keyK, s, keyS) => {
      document.body.innerHTML = '<div id="card"></div>';
      const rows = [1, 2, 3].map((n) => ({ input: { n } }));
      const labels = new RowLabels({
        options: ['grant', 'deny', 'ask'],
        rows,
        finish: { name: 'Save', take: () => undefined },
      });
      const take = (key: string, code: string, more = {}) =>
        labels.take(new KeyboardEvent('keydown', { key, code, ...more }));
      take(one, digit, { isComposing: true });
      take(one, digit, { ctrlKey: true });
      expect(labels.given).toEqual([]);
      take(one, digit);
      take(s, keyS);
      expect(labels.given).toEqual(['grant', null]);
    },
  );

  it('keeps a key that is chosen by its place on the board, whatever script is typed in', async () => {
    const page = openPage(() => Promise.reject(new Error('not asked')));
    page.commands.getState().put('test', commandsThatNote([]));
    show(<ShortcutTable startsChanging />, page);
    const change = await screen.findByRole('button', { name: 'Change the keys of Keyboard shortcuts' });
    fireEvent.click(change);
    fireEvent.keyDown(change, { key: 'л', code: 'KeyK', ctrlKey: true, isComposing: true });
    expect(page.settings.store.getState().keys).toEqual({});
    fireEvent.keyDown(change, { key: 'л', code: 'KeyK', ctrlKey: true });
    expect(page.settings.store.getState().keys).toEqual({ help: 'Mod+k' });
    cleanup();
  });

  it('leaves the keys alone with which a person composes a word, in every field of the page', () => {
    const fields = globSync('src/renderer/**/*.tsx').flatMap((file) =>
      (readFileSync(file, 'utf8').match(/onKeyDown=\{[^\n]*/g) ?? []).map((found) => `${file}: ${found}`),
    );
    expect(fields.length).toBeGreaterThan(7);
    expect(fields.filter((field) => !/onKeyDown=\{(?:whenComposed\(|onPress\})/.test(field))).toEqual([]);
  });

  it('follows the keys that the reader has chosen instead of its own', () => {
    const owned = listCommands(new Map([['place', commands]]), { help: 'h' });
    expect(matchPress(owned, press('?', { shiftKey: true }), '', 'rows').command).toBeNull();
    expect(matchPress(owned, press('h'), '', 'rows').command?.id).toBe('help');
  });
});

describe('the palette', () => {
  afterEach(cleanup);

  it('finds commands by the beginnings of words and by parts of them, and leaves out those that cannot run', () => {
    const found = (query: string) => searchCommands(commandsThatNote([]), query).map(({ id }) => id);
    expect(found('start')).toEqual(['train']);
    expect(found('cut')).toEqual(['help']);
    expect(found('key short')).toEqual(['help']);
    expect(found('svch')).toEqual([]);
    const titles = ['Restart', 'How to start', 'Start'].map((title) => ({
      id: title,
      title,
      group: 'Go',
      run: () => {},
    }));
    expect(searchCommands(titles, ' start').map(({ id }) => id)).toEqual(['Start', 'How to start', 'Restart']);
  });

  it('puts what was used last first, until something is typed', () => {
    const ids = searchCommands(commandsThatNote([]), '', ['help', 'save']).map(({ id }) => id);
    expect(ids).toEqual(['help', 'save', 'train']);
  });

  it('says that nothing was found, by what was typed', async () => {
    const page = openPage(() => Promise.reject(new Error('not asked')));
    page.commands.getState().put('test', commandsThatNote([]));
    show(<Palette />, page);
    openPalette();
    await screen.findByRole('dialog', { name: 'Search commands' });
    fireEvent.change(screen.getByLabelText('Search commands', { selector: 'input' }), { target: { value: 'sv' } });
    await screen.findByText('No results for “sv”.');
  });

  it('is worked by keyboard alone, and remembers what was used', async () => {
    const done: string[] = [];
    const page = openPage(() => Promise.reject(new Error('not asked')));
    page.commands.getState().put('test', commandsThatNote(done));
    show(<Palette />, page);
    openPalette();
    const box = await screen.findByLabelText('Search commands', { selector: 'input' });
    fireEvent.change(box, { target: { value: 'keyb' } });
    await screen.findByText('Keyboard shortcuts');
    fireEvent.keyDown(box, { key: 'Enter', code: 'Enter' });
    await waitFor(() => expect(done).toEqual(['help']));
    expect(page.settings.store.getState().recent).toEqual(['help']);
  });

  it('runs the first line also where another stood there as the query was typed', async () => {
    const done: string[] = [];
    const page = openPage(() => Promise.reject(new Error('not asked')));
    const [train, , help] = commandsThatNote(done);
    if (!train || !help) throw new Error('no commands');
    page.commands.getState().put('test', [{ ...help, title: 'Start here' }]);
    show(<Palette />, page);
    openPalette();
    const box = await screen.findByLabelText('Search commands', { selector: 'input' });
    fireEvent.change(box, { target: { value: 'start' } });
    await screen.findByText('Start here');
    page.commands.getState().put('test', [train]);
    await screen.findByText('Start training');
    fireEvent.keyDown(box, { key: 'Enter', code: 'Enter' });
    await waitFor(() => expect(done).toEqual(['train']));
  });
});

it('leaves the keys alone with which a person composes a word in a list of texts', () => {
  const given: string[][] = [];
  show(<TextList label="Options" itemLabel="Option" values={['は']} onValues={(values) => given.push(values)} />);
  const field = screen.getByLabelText('Option 1');
  fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
  expect(given).toEqual([]);
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(given).toEqual([['は', '']]);
});
