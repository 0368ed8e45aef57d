import { Modal } from '@mantine/core';
import { ShortcutTable } from '../parts/shortcut-table.tsx';

/** Every command that works now, with its keys, which can be changed here. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <Modal opened title="Keyboard shortcuts" onClose={onClose} closeButtonProps={{ 'aria-label': 'Close' }} size="lg">
      <ShortcutTable />
    </Modal>
  );
}
