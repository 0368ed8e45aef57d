/** The list of who did what, as a page of Settings. */

import { Input, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Busy, ErrorNote, Moment } from '../../parts/notes.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { ShortcutTable } from '../../parts/shortcut-table.tsx';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { formatRoute, type SettingsSection, settingsSections, settingsTitles } from '../../state/route.ts';
import { useSettings, useWorkbench } from '../../state/workbench.ts';
import { ApiKeys } from './api-keys.tsx';
import { Connections } from './connections.tsx';
import { Credits } from './credits.tsx';
import { DataFolder } from './data-folder.tsx';
import { TextModelSettings } from './text-models.tsx';

/** Who deleted, imported, switched, exported or made keys, newest first. */
export function Activity() {
  const [page, setPage] = useState(1);
  const activity = useOperation('activity.list', { query: { page, page_size: 50 } }, { keepPrevious: true });
  if (activity.isError) return <ErrorNote error={activity.error} retry={() => void activity.refetch()} />;
  if (!activity.data) return <Busy>Reading the activity…</Busy>;
  if (activity.data.total === 0) return <p>Nothing was deleted, imported, switched or exported yet.</p>;
  return (
    <div className="stack">
      <PlainTable heads={['When', 'By', 'What', 'Decision type', 'Details']}>
        {activity.data.items.map((item) => (
          <tr key={`${item.created_at} ${item.operation} ${item.details}`}>
            <td>
              <Moment iso={item.created_at} />
            </td>
            <td className="wrap">{item.by === null ? 'not known' : showUnseen(item.by)}</td>
            <td className="wrap">{item.summary}</td>
            <td className="wrap">{item.decision_type === null ? '' : showUnseen(item.decision_type)}</td>
            <td className="wrap">{item.details === null ? '' : showUnseen(item.details)}</td>
          </tr>
        ))}
      </PlainTable>
      <Pages page={page} pages={activity.data.pages} onPage={setPage} />
    </div>
  );
}

/** The theme of the page, and the name under which labels are kept. */
export function LookSettings() {
  const { settings } = useWorkbench();
  const theme = useSettings((state) => state.theme);
  const reader = useSettings((state) => state.reader);
  return (
    <div className="stack">
      <TextInput
        label="Your name as a reader"
        description="Kept with each label that you give in this browser. Empty: the name of your session."
        maxLength={100}
        value={reader}
        onChange={(event) => settings.setReader(event.currentTarget.value)}
      />
      <Input.Wrapper label="Theme" description="“System” follows what this computer is set to.">
        <div>
          <SegmentedControl
            aria-label="Theme"
            mt={4}
            value={theme}
            onChange={settings.setTheme}
            data={[
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
              { value: 'auto', label: 'System' },
            ]}
          />
        </div>
      </Input.Wrapper>
    </div>
  );
}

const views: Record<SettingsSection, () => React.ReactNode> = {
  keys: ApiKeys,
  connections: Connections,
  'text-models': TextModelSettings,
  credits: Credits,
  activity: Activity,
  data: DataFolder,
  look: LookSettings,
  shortcuts: () => <ShortcutTable startsChanging />,
};

/** Shows what holds for the whole workbench, section by section. */
export function SettingsPlace({ section }: { section: SettingsSection }) {
  const View = views[section];
  return (
    <Place
      id="settings"
      title={settingsTitles[section]}
      cards
      side={
        <Pane title="Settings" sub>
          <nav aria-label="Sections of the settings">
            <ul className="queues">
              {settingsSections.map((name) => (
                <li key={name}>
                  <a
                    href={formatRoute({ page: 'settings', section: name })}
                    aria-current={name === section ? 'page' : undefined}
                  >
                    {settingsTitles[name]}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </Pane>
      }
    >
      <div className="form part">
        <View />
      </div>
    </Place>
  );
}
