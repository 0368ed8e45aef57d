import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ImportDesk } from './import-desk.tsx';

/** The import of examples into a decision type. */
export function Import({ type }: { type: DecisionType }) {
  return <ImportDesk type={type} />;
}
