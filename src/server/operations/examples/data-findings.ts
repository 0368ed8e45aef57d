/** What may be wrong with the examples of a decision type. */
import { toExample } from '../../preparation/example-wire.ts';
import { findDataProblems } from '../../services/examples/data-findings.ts';
import { toAnalysisState } from '../analysis-state.ts';
import type { Deps, Handlers } from '../context.ts';
import { toPage } from '../pages.ts';

type Used = Pick<Deps, 'options' | 'store' | 'analyses'>;

const noCounts = {
  contradiction: 0,
  unknown_label: 0,
  suspect_label: 0,
  rule_disagreement: 0,
  leak: 0,
  near_duplicate: 0,
  duplicate: 0,
  rare_option: 0,
  outlier: 0,
  constant_field: 0,
};

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
} satisfies Handlers<Used>;
