import { Spotlight, spotlight } from '@mantine/spotlight';
import { useState } from 'react';
import { useOperation } from '../api/queries.ts';
import { summariseInput } from '../parts/inputs.ts';
import { Keys } from '../parts/notes.tsx';
import { goTo, useRoute } from '../state/route.ts';
import { useSettings, useWorkbench } from '../workbench.tsx';
import { type Command, searchCommands } from './command.ts';
import { useCommandList } from './use-commands.ts';

/** Opens the palette. */
export function openPalette(): void {
  spotlight.open();
}

const maxShown = 60;
const minRowQueryLength = 3;
const maxRows = 5;

/** Rows of the present decision type that hold the words of the query. */
function useRows(query: string): Command[] {
  const route = useRoute();
  const typeId = route.page === 'type' ? route.id : null;
  const search = query.trim();
  const rows = useOperation(
    'examples.list',
    { params: { decision_type_id: typeId ?? '' }, query: { search, page_size: maxRows } },
    { enabled: typeId !== null && search.length >= minRowQueryLength },
  );
  if (typeId === null || search.length < minRowQueryLength) return [];
  return (rows.data?.items ?? []).map((example) => ({
    id: `row-${example.id}`,
    title: summariseInput(example.input_payload).slice(0, 120),
    group: 'Examples',
    run: () => goTo({ page: 'type', id: typeId, place: 'examples', query: { view: 'table', row: example.id, search } }),
  }));
}

/** One box over everything that can be done and everywhere one can go; letters in order are enough to find it. */
export function Palette() {
  const [query, setQuery] = useState('');
  return (
    <Spotlight.Root query={query} onQueryChange={setQuery} shortcut={null} scrollable maxHeight={440} clearQueryOnClose>
      <Spotlight.Search aria-label="Search commands" placeholder="Go to a type, a place or a row, or run a command" />
      <Found query={query} />
    </Spotlight.Root>
  );
}

/** What the query finds; it follows the commands only while the palette is open. */
function Found({ query }: { query: string }) {
  const { settings } = useWorkbench();
  const recent = useSettings((state) => state.recent);
  const commands = useCommandList();
  const rows = useRows(query);
  const found = [...searchCommands(commands, query, recent), ...rows].slice(0, maxShown);
  const run = (command: Command) => {
    if (command.group !== 'Examples') settings.noteUse(command.id);
    spotlight.close();
    // After the palette has given the focus back, so that what the command opens can take it.
    setTimeout(command.run);
  };
  return (
    <Spotlight.ActionsList>
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
      {found.length === 0 && <Spotlight.Empty>Nothing has these letters in this order.</Spotlight.Empty>}
    </Spotlight.ActionsList>
  );
}
