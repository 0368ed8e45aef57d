/** Keys with which a person composes a word are nobody's command. */
import type { KeyboardEvent as ReactKeyboardEvent } from 'react';

/** A listener that leaves the keys alone with which a person composes a word. */
export const whenComposed =
  <E extends Element>(press: (event: ReactKeyboardEvent<E>) => void) =>
  (event: ReactKeyboardEvent<E>): void => {
    if (!event.nativeEvent.isComposing) press(event);
  };
