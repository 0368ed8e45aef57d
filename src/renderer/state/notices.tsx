import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** A short message at the foot of the window; errors stay until they are closed. */
type Notice = { kind: 'info' | 'error'; text: string; undo?: () => void; act?: { title: string; run(): void } };

const infoMs = 6_000;

/** Shows a message, with a button for what can be done about it or, as `undo`, that takes the act back. */
export function notify({ kind, text, undo, act = undo && { title: 'Undo', run: undo } }: Notice): void {
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
        {act && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              notifications.hide(id);
              act.run();
            }}
          >
            {act.title}
          </Button>
        )}
      </Group>
    ),
  });
}

/** Says why something failed, in the words of its error. */
export function notifyFailure(error: unknown): void {
  notify({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
}
