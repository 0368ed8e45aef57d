import { Dropzone } from '@mantine/dropzone';
import { goTo, parseRoute } from '../state/route.ts';
import { useUi } from '../workbench.tsx';

/** A file may be dropped anywhere: it opens the import of the decision type at hand, or of a new one. */
export function DropAnywhere() {
  const takeFile = useUi((ui) => ui.takeFile);
  const drop = ([file]: File[]) => {
    if (!file) return;
    takeFile(file);
    const route = parseRoute(window.location.hash);
    goTo(route.page === 'type' ? { page: 'type', id: route.id, place: 'import' } : { page: 'new' });
  };
  return (
    <Dropzone.FullScreen active onDrop={drop} maxFiles={1} useFsAccessApi={false}>
      <p className="empty strong">Let go to import this file.</p>
    </Dropzone.FullScreen>
  );
}
