import { Input, SegmentedControl } from '@mantine/core';
import { useSettings, useWorkbench } from '../../state/workbench.ts';

/** The theme of the page. */
export function LookSettings() {
  const { settings } = useWorkbench();
  const theme = useSettings((state) => state.theme);
  return (
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
  );
}
