import { Pane, Place } from '../../parts/panes.tsx';
import { ShortcutTable } from '../../parts/shortcut-table.tsx';
import { formatRoute, type SettingsSection, settingsSections, settingsTitles } from '../../state/route.ts';
import { Activity } from './activity.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Connections } from './connections.tsx';
import { Credits } from './credits.tsx';
import { DataFolder } from './data-folder.tsx';
import { LookSettings } from './look.tsx';
import { TextModelSettings } from './text-models.tsx';

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
