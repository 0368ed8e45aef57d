import { Spotlight, spotlight } from '@mantine/spotlight';
import { useEffect, useRef, useState } from 'react';
import { type Command, searchCommands } from '../commands/command.ts';
import { Keys } from '../parts/notes.tsx';
import { summariseInput } from '../parts/text/inputs.ts';
import { isolate } from '../parts/text/names.ts';
import { useOperation } from '../state/queries.ts';
import { goTo, useRoute } from '../state/route.ts';
import { useCommandList } from '../state/use-commands.ts';
import { useSettings, useWorkbench } from '../state/workbench.ts';

/** Opens the palette. */
export function openPalette(): void {
  spotlight.open();
}

const title = 'Search commands';
const maxShown = 60;
const minRowQueryLength = 3;
const maxRows = 5;

/** Rows of the present decision type that hold the text of the query, and whether they are still looked for. */
function useRows(query: string): { rows: Command[]; isSearching: boolean } {
  const route = useRoute();
  const typeId = route.page === 'type' ? route.id : null;
  const search = query.trim();
  const rows = useOperation(
    'examples.list',
    { params: { decision_type_id: typeId ?? '' }, query: { search, page_size: maxRows } },
    { enabled: typeId !== null && search.length >= minRowQueryLength },
  );
  if (typeId === null || search.length < minRowQueryLength) return { rows: [], isSearching: false };
  const found = (rows.data?.items ?? []).map((example) => ({
    id: `row-${example.id}`,
    title: summariseInput(example.input_payload).slice(0, 120),
    group: 'Examples',
    run: () => goTo({ page: 'type', id: typeId, place: 'examples', query: { view: 'table', row: example.id, search } }),
  }));
  return { rows: found, isSearching: rows.isPending };
}

/** One box over everything that can be done and everywhere one can go, found by the beginnings of its words. */
export function Palette() {
  const [query, setQuery] = useState('');
  return (
    <Spotlight.Root
      attributes={{ content: { 'aria-label': title } }}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      // In the middle, its field would move under the hands as the list gets shorter.
      centered={false}
      overlayProps={{ blur: 0 }}
      scrollable
      maxHeight={440}
      clearQueryOnClose
      // Closed at once, so that the dialog of a command can take the focus.
      transitionProps={{ duration: 0 }}
    >
      <Spotlight.Search aria-label={title} placeholder="Go to a type, a place or a row, or run a command" />
      <Found query={query} />
    </Spotlight.Root>
  );
}

/** Lists what the query finds; it follows the commands only while the palette is open. */
function Found({ query }: { query: string }) {
  const { settings } = useWorkbench();
  const recent = useSettings((state) => state.recent);
  const commands = useCommandList();
  const fitting = searchCommands(commands, query, recent);
  // Rows are many, and hold almost any word: they are looked for where nothing else fits.
  const { rows, isSearching } = useRows(fitting.length === 0 ? query : '');
  const found = [...fitting, ...rows].slice(0, maxShown);
  const shown = found.map(({ id }) => id).join(' ');
  const list = useRef<HTMLDivElement>(null);
  // The library marks the chosen line in the document as one types: where that line leaves the list afterwards, none
  // would be chosen, and Enter do nothing.
  useEffect(() => {
    if (query === '' || shown === '' || list.current?.querySelector('[data-selected]')) return;
    list.current?.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  }, [query, shown]);
  const run = (command: Command) => {
    if (command.group !== 'Examples') settings.noteUse(command.id);
    spotlight.close();
    // After the palette has given the focus back, so that the dialog of the command can take it.
    setTimeout(command.run);
  };
  return (
    <Spotlight.ActionsList ref={list}>
      {found.map((command) => (
        <Spotlight.Action
          key={command.id}
          onClick={() => run(command)}
          closeSpotlightOnTrigger={false}
          label={command.title}
          leftSection={<span className="small muted">{command.group}</span>}
          rightSection={command.keys ? <Keys keys={command.keys} /> : undefined}
          dimmedSections={false}
        />
      ))}
      {found.length === 0 && (
        <Spotlight.Empty>
          {isSearching ? 'Searching the examples…' : `No results for “${isolate(query.trim())}”.`}
        </Spotlight.Empty>
      )}
    </Spotlight.ActionsList>
  );
}
