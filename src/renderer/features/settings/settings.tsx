import { NavLink } from '@mantine/core';
import { Pane, PlaceLayout } from '../../parts/panes.tsx';
import { formatRoute, type SettingsSection, settingsSections } from '../../state/route.ts';
import { ApiKeys } from './api-keys.tsx';
import { Connections } from './connections.tsx';
import { Credits } from './credits.tsx';
import { DataFolder } from './data-folder.tsx';
import { LookSettings } from './look.tsx';
import { ShortcutSettings } from './shortcut-settings.tsx';

const sections: Record<SettingsSection, { title: string; view: () => React.ReactNode }> = {
  keys: { title: 'API keys and agents', view: ApiKeys },
  connections: { title: 'Model connections', view: Connections },
  credits: { title: 'Plan and credits', view: Credits },
  data: { title: 'Data and backups', view: DataFolder },
  look: { title: 'Look', view: LookSettings },
  shortcuts: { title: 'Keyboard', view: ShortcutSettings },
};

/** What holds for the whole workbench, section by section. */
export function SettingsPlace({ section }: { section: SettingsSection }) {
  const { title, view: View } = sections[section];
  return (
    <PlaceLayout
      id="settings"
      side={
        <Pane title="Settings" sub>
          <nav aria-label="Sections of the settings">
            {settingsSections.map((name) => (
              <NavLink
                key={name}
                href={formatRoute({ page: 'settings', section: name })}
                label={sections[name].title}
                active={name === section}
                {...(name === section ? { 'aria-current': 'page' as const } : {})}
              />
            ))}
          </nav>
        </Pane>
      }
      main={
        <Pane title={title} level={1} roomy>
          <div className="settings-section">
            <View />
          </div>
        </Pane>
      }
    />
  );
}
