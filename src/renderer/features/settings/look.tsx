import { Input, SegmentedControl, TextInput } from '@mantine/core';
import { useSettings, useWorkbench } from '../../state/workbench.ts';

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
