import { useEffect, useState } from 'react';
import { goTo, parseRoute } from '../state/route.ts';
import { useUi } from '../state/workbench.ts';

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;

/** A file may be dropped anywhere: it opens the import of the decision type at hand, or of a new one. */
export function DropAnywhere() {
  const takeFile = useUi((ui) => ui.takeFile);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      takeFile(file);
      const route = parseRoute(window.location.hash);
      goTo(route.page === 'type' ? { page: 'type', id: route.id, place: 'import' } : { page: 'new' });
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [takeFile]);
  if (!isOver) return null;
  return (
    <div className="drop-anywhere" aria-hidden="true">
      Let go to import this file.
    </div>
  );
}
