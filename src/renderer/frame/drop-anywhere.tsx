import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import { goTo, parseRoute } from '../state/route.ts';
import { useUi } from '../state/workbench.ts';

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;

/** A file may be dropped anywhere: it opens the import of the decision type at hand, or of a new one. */
export function DropAnywhere() {
  const takeFile = useUi((ui) => ui.takeFile);
  const [isOver, setIsOver] = useState(false);
  useWindowEvent('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setIsOver(true);
  });
  useWindowEvent('dragleave', ({ relatedTarget }) => relatedTarget === null && setIsOver(false));
  useWindowEvent('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setIsOver(false);
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    takeFile({ file });
    const route = parseRoute(window.location.hash);
    goTo(route.page === 'type' ? { page: 'type', id: route.id, place: 'import' } : { page: 'new' });
  });
  if (!isOver) return null;
  return (
    <div className="drop-anywhere" aria-hidden="true">
      Let go to import this file.
    </div>
  );
}
