import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { type Command, matchPress } from '../commands/command.ts';
import { findKeyPlace, isDialogOpen } from '../commands/key-focus.ts';
import { listCommands } from '../commands/registry.ts';
import { useSettings, useWorkbench } from './workbench.ts';

/** Offers commands while the part is shown, ungrouped ones in `group`; the newest closures run. */
export function useCommands(group: string, offered: readonly (Omit<Command, 'group'> & { group?: string })[]): void {
  const { commands: registry } = useWorkbench();
  const owner = useId();
  const commands = offered.map((command) => ({ group, ...command }));
  const newest = useRef(commands);
  // With what is drawn, not after it: a key may follow in the same moment, and must meet what its reader sees.
  useLayoutEffect(() => {
    newest.current = commands;
  });
  const shape = JSON.stringify(
    commands.map(({ id, title, group, keys, enabled, inFields }) => [id, title, group, keys, enabled, inFields]),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the commands
  useLayoutEffect(() => {
    registry.getState().put(
      owner,
      newest.current.map((command) => ({
        ...command,
        run: () => newest.current.find(({ id }) => id === command.id)?.run(),
      })),
    );
  }, [registry, owner, shape]);
  useLayoutEffect(() => () => registry.getState().remove(owner), [registry, owner]);
}

/** All commands on offer now, with the keys of this browser. */
export function useCommandList(): Command[] {
  const byOwner = useStore(useWorkbench().commands, (state) => state.byOwner);
  const keys = useSettings((settings) => settings.keys);
  return useMemo(() => listCommands(byOwner, keys), [byOwner, keys]);
}

/** Ties the page to a desktop shell, if there is one: its menu runs commands. */
export function useShell(): void {
  const { commands: registry } = useWorkbench();
  useEffect(
    () =>
      window.workbench?.onCommand((id) =>
        listCommands(registry.getState().byOwner)
          .find((command) => command.id === id && command.enabled !== false)
          ?.run(),
      ),
    [registry],
  );
}

/** Whether a press belongs to what has the focus: Enter on a button or link is its own. */
function isOwnPress({ key, target }: KeyboardEvent): boolean {
  return key === 'Enter' && target instanceof HTMLElement && target.closest('button, a[href]') !== null;
}

const chordWaitMs = 1_200;

/** Listens for the shortcuts of all offered commands. */
export function useShortcuts(): void {
  const { commands: registry, settings } = useWorkbench();
  const pending = useRef('');
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return;
    if (isOwnPress(event)) return;
    if (isDialogOpen()) return;
    const found = matchPress(
      listCommands(registry.getState().byOwner, settings.store.getState().keys),
      event,
      pending.current,
      // The focus may just have come back from the page itself to where keys act.
      findKeyPlace(event.target === document.body ? document.activeElement : event.target),
    );
    pending.current = found.pending;
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => {
      pending.current = '';
    }, chordWaitMs);
    if (found.command) {
      event.preventDefault();
      found.command.run();
    }
  };
  // The condition editor keeps Ctrl+K and others for itself unless they are taken before it hears them.
  const pressedInEditor = (event: KeyboardEvent) => {
    const inEditor = event.target instanceof HTMLElement && event.target.closest('.cm-editor') !== null;
    if (!inEditor) return;
    pressed(event);
    if (event.defaultPrevented) event.stopPropagation();
  };
  useWindowEvent('keydown', pressedInEditor, { capture: true });
  useWindowEvent('keydown', pressed);
}
