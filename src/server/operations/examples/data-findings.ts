/** Findings about the examples of a decision type. */
import { byName } from '../../../engine/domain/records.ts';
import { findingKinds } from '../../../engine/findings/finding.ts';
import type { FindingCounts } from '../../../engine/findings/search-data.ts';
import { toExample } from '../../preparation/examples/example-wire.ts';
import { findDataProblems } from '../../services/examples/data-findings.ts';
import { toAnalysisState } from '../analysis-state.ts';
import type { Handlers } from '../context.ts';
import { toPage } from '../pages.ts';

const noCounts: FindingCounts = byName(findingKinds, () => 0);

export const dataFindingHandlers = {
  'data_findings.list': async (deps, { type, query }) => {
    const state = await findDataProblems(deps, type);
    const { items, counts } = state.known?.result ?? { items: [], counts: noCounts };
    const matching = query.kind === undefined ? items : items.filter(({ kind }) => kind === query.kind);
    const from = (query.page - 1) * query.page_size;
    const page = matching.slice(from, from + query.page_size).map((finding) => {
      const [first] = finding.example_ids;
      const example = first === undefined ? null : deps.store.examples.get(type.id, first);
      return { ...finding, example: example && toExample(example) };
    });
    return { ...toPage(page, matching.length, query), counts, ...toAnalysisState(state) };
  },
} satisfies Handlers;
