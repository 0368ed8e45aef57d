/** One page that says what a policy decides, how well and by which rules, for other people. */
import { listPolicyFacts, listSome } from '../bundle/describe-policy.ts';
import type { CostFinding } from '../costs.ts';
import type { Rule } from '../domain/definition.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { Slice } from '../findings/slices.ts';
import { formatAmount } from '../measure/costs.ts';
import { quoteAccuracy } from '../measure/quote-share.ts';
import { type MeasuredShare, nothingPromised, type Verdict, type WholeDecision } from '../measured.ts';
import { countOf, formatCount, formatRange, formatShare } from '../numeric.ts';
import { describeReading } from '../text/languages.ts';
import type { ThresholdSettings } from '../thresholds.ts';
import { describeGroups } from './describe-groups.ts';
import {
  describeInputs,
  describePeriod,
  listReaders,
  type ReportInputs,
  type ReportReaders,
} from './describe-inputs.ts';
import { drawMatrix, type Matrix } from './draw-matrix.ts';
import type { GroupReport } from './groups.ts';
import { escapeHtml, quoteText } from './html.ts';

type ReportFacts = {
  type: { name: string; description: string; options: readonly string[] };
  policy: {
    version: number;
    isDeployed: boolean;
    isRulesOnly: boolean;
    completedAt: string | null;
    /** The digest of what decides, and the number of its release where it does now; null without a bundle. */
    release: { digest: string; number: number | null } | null;
  };
  /** The version of the type whose rules and thresholds decide. */
  versionNumber: number;
  metrics: Pick<
    Metrics,
    | 'train_size'
    | 'test_size'
    | 'split'
    | 'directions'
    | 'languages'
    | 'text_models'
    | 'other_ways'
    | 'rare_options'
    | 'left_to_rules'
  > | null;
  /** null where no example was held out. */
  whole: (WholeDecision & Matrix & { groups: readonly GroupReport[] }) | null;
  /** null where the policy's file cannot be read. */
  inputs: ReportInputs | null;
  /** The examples of the type now, when the first and the last were added (ISO 8601), and how far readers agree. */
  examples: {
    total: number;
    labelled: number;
    reviewed: number;
    synthetic: number;
    period: { first: string; last: string } | null;
    /** null where no example was read twice. */
    agreement: { pairs: readonly { readers: readonly string[] }[]; sentence: string } | null;
  } & ReportReaders;
  /** null where the type has no costs. */
  costs: Pick<CostFinding, 'currency' | 'now' | 'suggested' | 'by_hand' | 'sentence'> | null;
  verdict: Verdict;
  /** The weak parts, the worst first; null while they are not known. */
  weakParts: readonly Pick<Slice, 'description' | 'automatic' | 'error_automatic' | 'rest_error_automatic'>[] | null;
  /** In the order in which they decide. */
  rules: readonly Rule[];
  settings: ThresholdSettings;
  /** Who asked for the report, when (ISO 8601), and the version of the program. */
  made: { by: string; at: string; toolVersion: string };
};

const maxNames = 20;
/** Pairs of readers, those with the most rows first. */
const maxPairs = 3;
const maxRules = 12;
const maxWeakParts = 5;

/** The one style of the report, which its security policy names by its digest. */
export const reportStyle = `
:root { color-scheme: light dark; --line: light-dark(#e4e7ee, #2a2e39); --quiet: light-dark(#596073, #a2a9b9) }
body { background: light-dark(#fff, #1a1d25); color: light-dark(#151926, #e9ebf1); font: 14px/1.45 'Inter Variable', Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; margin: 0 }
main { margin: 0 auto; max-width: 46rem; overflow-wrap: anywhere; padding: 1.5rem }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 }
h2 { border-top: 1px solid var(--line); font-size: 1rem; margin: .9rem 0 .2rem; padding-top: .5rem }
p, ol, ul { margin: .2rem 0; padding-inline-start: 0 }
ol, ul { padding-inline-start: 1.3rem }
.description { white-space: pre-line }
.headline { font-size: 2rem; font-weight: 650; line-height: 1.25 }
.headline small { font-size: 1rem; font-weight: 400 }
.quiet, footer { color: var(--quiet) }
footer { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: .5rem }
table { border-collapse: collapse; margin: .4rem 0; width: 100% }
th, td { font-weight: inherit; padding: .15rem .8rem .15rem 0; text-align: start }
td { font-variant-numeric: tabular-nums; white-space: nowrap }
th { width: 37% }
.groups th { overflow-wrap: break-word; width: auto }
.groups :is([scope=row], th:nth-child(3)) { min-width: 7rem; overflow-wrap: anywhere }
.groups .quiet { white-space: normal }
.bar { width: 24% }
svg { display: block; height: .8rem; width: 100% }
.track { fill: light-dark(#eceef4, #2a2e39) }
.value { fill: light-dark(#3d4fd6, #929dff) }
.range { stroke: light-dark(#151926, #e9ebf1); stroke-width: 2; vector-effect: non-scaling-stroke }
.matrix { border-collapse: separate; border-spacing: 2px; margin-inline-start: -2px; width: auto }
.matrix :is(th, td) { padding: 0 .4rem; width: auto }
.matrix th:first-child { padding-inline-start: 0 }
.matrix :is(td, thead th + th) { font-weight: 600; min-width: 1.2rem; text-align: center; white-space: nowrap }
.matrix .quiet { font-weight: 400 }
.hit { background: light-dark(#e8ebfd, #282d4b) }
.few { background: light-dark(#fbe5e7, #43202a) }
.many { background: light-dark(#f3b6bc, #7a2f3a) }
code { font: 12px/1.4 ui-monospace, monospace; white-space: pre-wrap }
@page { size: A4; margin: 10mm 12mm }
@media print {
  :root { color-scheme: light; font-size: 11px }
  svg, td { print-color-adjust: exact }
  body { font-size: 11px; line-height: 1.35 }
  main { max-width: none; padding: 0 }
  h2 { break-after: avoid; margin-block: .4rem .1rem; padding-top: .3rem }
  p, ol, ul, table { margin-block: .1rem }
  footer { margin-top: .5rem; padding-top: .3rem }
  th, td { padding-block: .05rem }
  .matrix { border-spacing: 1px; line-height: 1.15 }
  li, tr { break-inside: avoid }
}
`;

/** Writes the report as an HTML document that runs nothing and loads nothing but its own style, as `policy` says. */
export function writeReport(facts: ReportFacts, securityPolicy: string): string {
  const { type, policy, rules, settings, metrics, made } = facts;
  const asked = { ...settings, options: type.options, rules, isRulesOnly: policy.isRulesOnly, metrics };
  const shared = listPolicyFacts(asked, { names: maxNames, rules: maxRules }, quoteText, quoteCode);
  const sections = [
    ['The question', `${describeQuestion(type.description)}<p>${shared.answers}</p>`],
    ['How good it is', describeQuality(facts)],
    ...(facts.whole === null || facts.whole.rows === 0
      ? []
      : [['Where it is wrong', drawMatrix(facts.whole)] as const]),
    ...(facts.costs === null ? [] : [['What it costs', describeCosts(facts.costs)] as const]),
    ...(facts.inputs === null ? [] : [['What it reads', describeInputs(facts.inputs)] as const]),
    ['What it was measured on', describeData(facts, shared.learned)],
    ...listSentences(facts, 'must').map((sentence) => ['What must hold', `<p>${quoteText(sentence)}</p>`] as const),
    ['What is promised', `<p>${quoteText(listSentences(facts, 'promise')[0] ?? nothingPromised.sentence)}</p>`],
    ['Where it is weak', describeWeakParts(facts.weakParts)],
    ...(facts.whole?.groups.length ? [['How it treats groups', describeGroups(facts.whole.groups)] as const] : []),
    ['The rules', listRules(shared)],
    ['What no rule decides', `<p>${shared.undecided}</p>`],
  ] as const;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${escapeHtml(securityPolicy)}">
<meta name="viewport" content="width=device-width"><title>${escapeHtml(type.name)}</title><style>${reportStyle}</style></head><body><main>
<h1>${quoteText(type.name)}</h1>
<p class="quiet">${describePolicy(facts)}</p>
${sections.map(([title, html]) => `<section><h2>${title}</h2>${html}</section>`).join('\n')}
<footer>Made by ${quoteText(made.by)} on ${formatTime(made.at)} with Decision Workbench ${escapeHtml(made.toolVersion)}.${describeRelease(facts)}</footer>
</main></body></html>
`;
}

const formatTime = (iso: string) => `${iso.slice(0, 10)}, ${iso.slice(11, 16)} UTC`;

function describePolicy({ policy, versionNumber }: ReportFacts): string {
  const { version, isDeployed, isRulesOnly, completedAt } = policy;
  const made = completedAt === null ? '' : `, made on ${formatTime(completedAt)}`;
  const deciding = isDeployed ? 'It decides now' : 'It is not deployed';
  const kind = isRulesOnly ? 'rules alone' : 'rules and a trained classifier';
  return `Policy v${version} of ${kind}${made}. ${deciding}, with the settings of version ${versionNumber}.`;
}

function describeRelease({ policy: { release } }: ReportFacts): string {
  if (release === null) return '';
  const name = release.number === null ? 'What it is about' : `Release ${release.number}`;
  return `<br>${name} has the digest <code>${release.digest}</code>.`;
}

const describeQuestion = (description: string) =>
  description === '' ? '' : `<p class="description">${quoteText(description)}</p>`;

function describeQuality({ policy, whole }: ReportFacts): string {
  if (whole === null || whole.rows === 0) {
    const reason = policy.isRulesOnly ? 'rules alone learn from no examples' : 'no example is held out';
    return `<p>It was not measured, because ${reason}.</p>`;
  }
  const { accuracy, automatic, by_rule, error_automatic, escalated, fallback } = whole;
  const quote = quoteAccuracy(accuracy);
  const rows: [string, MeasuredShare][] = [
    ['Correct', accuracy],
    ...listBaselines(whole.baseline),
    ['Automated', automatic],
    ['Wrong among these', error_automatic],
    ...(by_rule.count > 0 ? [['Decided by a rule', by_rule] satisfies [string, MeasuredShare]] : []),
    ['Not automated', escalated],
    ...(fallback.count > 0 ? [['Answered by the fallback', fallback] satisfies [string, MeasuredShare]] : []),
  ];
  const why = quote.isKnown ? '' : `<p>${quoteText(whole.headline)}</p>\n`;
  return `<p class="headline">${quote.headline} <small class="quiet">${quote.beside}</small></p>
${why}${whole.remarks.map((remark) => `<p>${escapeHtml(remark)}</p>\n`).join('')}<p>The line over a bar is the range that holds the true figure with 95% confidence.</p>
<table>${rows.map(([name, share]) => `<tr><th scope="row">${name}</th>${showShare(share)}</tr>`).join('')}</table>`;
}

function showShare({ count, of, share, low, high }: MeasuredShare): string {
  if (share === null) return '<td></td><td>none</td><td></td><td></td>';
  const range = formatRange({ low, high });
  return `${drawBar({ value: share, low, high }, 1)}<td>${formatShare(share)}</td><td>${range}</td><td>${formatCount(count)} of ${formatCount(of)}</td>`;
}

function listBaselines(baseline: WholeDecision['baseline']): [string, MeasuredShare][] {
  if (baseline === null) return [];
  const { option, accuracy, rules_alone } = baseline;
  const always: [string, MeasuredShare] = [`Correct if always ${quoteText(option)}`, accuracy];
  return rules_alone === null ? [always] : [always, ['Correct with the rules alone', rules_alone]];
}

/** A cell with a bar as long as its value, of `max`, and a line over the interval. The figures stand beside it. */
function drawBar({ value, low, high }: { value: number; low: number; high: number }, max: number): string {
  const at = (amount: number) => ((100 * Math.max(0, amount)) / max).toFixed(2);
  const range = `<path class="range" d="M${at(low)} 2v6m0-3H${at(high)}m0-3v6"/>`;
  return `<td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><path class="track" d="M0 1h100v8H0z"/><path class="value" d="M0 1h${at(value)}v8H0z"/>${range}</svg></td>`;
}

function describeCosts({ now, suggested, by_hand: byHand, currency, sentence }: NonNullable<ReportFacts['costs']>) {
  const rows = [
    ['As it decides now', now] as const,
    ['With the thresholds of least cost', suggested] as const,
    ['A person looks at everything', byHand] as const,
  ].flatMap(([name, estimate]) => (estimate === null ? [] : [{ name, ...estimate }]));
  const max = Math.max(...rows.map(({ high }) => high), Number.MIN_VALUE);
  const write = (amount: number) => formatAmount(amount, null);
  const lines = rows.map(
    ({ name, per_1000: value, low, high }) =>
      `<tr><th scope="row">${name}</th>${drawBar({ value, low, high }, max)}<td>${escapeHtml(formatAmount(value, currency))}</td><td>${low === high ? '' : `${write(low)} to ${write(high)}`}</td></tr>`,
  );
  return `<p>${quoteText(sentence)}</p>${lines.length === 0 ? '' : `<table>${lines.join('')}</table>`}`;
}

const listSentences = ({ verdict }: Pick<ReportFacts, 'verdict'>, kind: Verdict[number]['kind']): string[] =>
  verdict.filter((item) => item.kind === kind).map(({ sentence }) => sentence);

/** Says how many examples the type has, when they were added, who labelled them and how far readers agree. */
function listSources({ total, labelled, reviewed, synthetic, period, agreement }: ReportFacts['examples']): string[] {
  const [first, last] = [period?.first.slice(0, 10), period?.last.slice(0, 10)];
  const when = first === undefined ? '' : first === last ? `, added on ${first}` : `, added from ${first} to ${last}`;
  const made = synthetic === 0 ? '' : ` A model wrote ${formatCount(synthetic)} of them.`;
  const readers = agreement?.pairs.map(({ readers }) => readers.map(quoteText).join(' and ')) ?? [];
  return [
    `The type has ${countOf(total, 'example')} now${when}: ${formatCount(labelled)} with a label, ${formatCount(reviewed)} reviewed by a person.${made}`,
    ...(agreement === null
      ? []
      : [`${quoteText(agreement.sentence)} They were read by ${listSome(readers, maxPairs)}.`]),
  ];
}

function describeData({ metrics, whole, verdict, examples, inputs }: ReportFacts, learned: readonly string[]): string {
  const sources = [...listSources(examples), ...describePeriod(inputs?.fields ?? []), ...listReaders(examples)];
  if (metrics === null) return `<p>${[...sources, 'There are no figures of a training.'].join(' ')}</p>`;
  const sentences = [
    ...sources,
    ...learned,
    ...(metrics.other_ways ?? []).map(({ sentence }) => quoteText(sentence)),
    ...metrics.directions.map(({ sentence }) => quoteText(sentence)),
    ...listTextSentences(metrics),
    ...listSentences({ verdict }, 'report'),
    ...listSentences({ verdict }, 'gate'),
    ...listSentences({ verdict }, 'retraining'),
    ...(whole && whole.missing > 0 ? [`${whole.missing} of them were deleted or changed since and do not count.`] : []),
    ...(whole && whole.refused > 0 ? [`${whole.refused} do not follow the input schema and do not count.`] : []),
  ];
  return `<p>${sentences.join(' ')}</p>`;
}

const textModelNames: Readonly<Record<string, string>> = {
  words: 'words alone',
  fast: 'the multilingual text model',
  english: 'the English text model',
};

function listTextSentences({ languages, text_models: trials }: NonNullable<ReportFacts['metrics']>): string[] {
  const described = describeReading(languages ?? []);
  const ways = (trials ?? []).map(
    ({ text_model, accuracy, encode_ms, chosen }) =>
      `by ${textModelNames[text_model] ?? text_model} ${formatShare(accuracy)} are right (${encode_ms < 0.05 ? 'under 0.1' : encode_ms.toFixed(1)} ms a text${chosen ? ', taken' : ''})`,
  );
  return [
    ...(described === null ? [] : [`The texts are in ${described}.`]),
    ...(ways.length === 0 ? [] : [`Read ${ways.join(', ')}.`]),
  ];
}

function describeWeakParts(parts: ReportFacts['weakParts']): string {
  if (parts === null) return '<p>Weak parts of the examples are not known.</p>';
  if (parts.length === 0) return '<p>No part of the measured examples is certainly weaker than the others.</p>';
  const items = parts
    .slice(0, maxWeakParts)
    .map(
      ({ description, automatic, error_automatic, rest_error_automatic }) =>
        `<li>Where ${quoteText(description)}, ${formatShare(error_automatic)} of the automated ones are wrong (elsewhere ${formatShare(rest_error_automatic)}), measured on ${formatCount(automatic)} examples.</li>`,
    );
  return `<ul>${items.join('')}</ul>`;
}

const quoteCode = (code: string) => `<code>${quoteText(code)}</code>`;

function listRules({ order, rules, moreRules }: ReturnType<typeof listPolicyFacts>): string {
  if (rules.length === 0) return `<p>${order}</p>`;
  const more = moreRules > 0 ? `<p>And ${moreRules} more rules.</p>` : '';
  return `<p>${order}</p><ol>${rules.map((rule) => `<li>${rule}</li>`).join('')}</ol>${more}`;
}
