/** The personal fields that a rule reads: in the log their values are masked. */
import { isPiiField } from '../../pii.ts';
import { listChildren, type RuleNode } from '../tree.ts';
import { toFieldPath } from '../types.ts';

/** Lists the paths that a condition reads and that lie at a dotted path of `piiFields` or below it, each once. */
export function listPersonalPaths(ast: RuleNode, piiFields: readonly string[]): string[][] {
  const path = toFieldPath(ast);
  if (path !== null) return isPiiField(path, piiFields) ? [path] : [];
  const paths = listChildren(ast).flatMap((child) => listPersonalPaths(child, piiFields));
  return [...new Map(paths.map((each) => [JSON.stringify(each), each])).values()];
}
