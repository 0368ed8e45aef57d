import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** A short message at the foot of the window; errors stay until they are closed. */
export type Notice = { kind: 'info' | 'error'; text: string; undo?: () => void };

const infoMs = 6_000;

/** Shows a message, with a button that takes the act back where there is one. */
export function notify({ kind, text, undo }: Notice): void {
  const id = crypto.randomUUID();
  notifications.show({
    id,
    color: kind === 'error' ? 'red' : 'indigo',
    autoClose: kind === 'error' ? false : infoMs,
    withCloseButton: true,
    closeButtonProps: { 'aria-label': 'Dismiss notice' },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{text}</span>
        {undo && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              notifications.hide(id);
              undo();
            }}
          >
            Undo
          </Button>
        )}
      </Group>
    ),
  });
}
