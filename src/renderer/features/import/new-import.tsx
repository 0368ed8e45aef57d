import { ImportDesk } from './import-desk.tsx';

/** A file first: the decision type is made from its labels. */
export function NewImport() {
  return <ImportDesk type={null} />;
}
