/** The model card of a bundle. */

import type { Metrics } from '../domain/metrics.ts';
import { countNgrams, type FeaturePlan, isOfWords, needsTokenizer } from '../features/plan.ts';
import type { Json } from '../json.ts';
import { nothingPromised } from '../measured.ts';
import { formatRange, formatShare } from '../numeric.ts';
import { nounOf, type PathReading } from '../readings/readings.ts';
import type { RulesFile } from '../rules/rules-file.ts';
import { listPolicyFacts } from './describe-policy.ts';
import type { InputField } from './input-fields.ts';
import type { Golden, ManifestDraft, Reasons } from './manifest.ts';
import { writeCardHead } from './model-card-head.ts';

export type ModelCardFacts = {
  manifest: ManifestDraft;
  digest: string;
  plan: FeaturePlan;
  rules: RulesFile;
  reasons: Reasons;
  /** One of these is the example. */
  golden: readonly Golden[];
  /** How many of the first golden decisions are pinned cases. */
  pinned?: number;
  /** Figures of the settings in the manifest; null where rules alone decide, and nothing was measured. */
  metrics: Metrics | null;
  /** How the promise of its type stands with it, in a sentence, and when it made it its own; null without a promise. */
  promise: { sentence: string; madeAt: string | null } | null;
};

const classifierWords: Record<NonNullable<ManifestDraft['classifier']>['kind'], string> = {
  logistic: 'logistic classifier',
  trees: 'classifier of boosted trees',
  blend: 'blend of a logistic classifier and boosted trees',
};

const maxNames = 200;
const maxListedRules = 100;
/** Keeps names that users chose from breaking the table or starting markup. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`|<>*_#[\]]/g, (mark) => `\\${mark}`);

function describeText(plan: FeaturePlan): string {
  if (plan.text === null) return 'It reads no text.';
  const fields = plan.text.fields.map((path) => escapeMarkdown(path.join('.'))).join(', ');
  const ways: string[] = [];
  const { ngrams } = plan.text;
  if (ngrams !== null) {
    const kind = isOfWords(ngrams) ? 'words, pairs of words and letters of words' : 'word pieces and pairs of them';
    ways.push(`${countNgrams(ngrams)} ${kind}`);
  }
  if (plan.text.encoder !== null) {
    const { max_tokens, adapters } = plan.text.encoder;
    const kind = adapters === undefined ? 'a sentence encoder' : 'a sentence encoder that was tuned on the examples';
    ways.push(`${kind} (first ${max_tokens} tokens)`);
  }
  const markup = plan.text.markup ? ' HTML in it is read as what a person sees of it.' : '';
  return `It reads the text of ${fields} by ${ways.join(' and ') || 'nothing'}.${markup}`;
}

function writeOptionTable({ options }: ManifestDraft, { per_class: perClass }: Metrics): string {
  const rows = options.map((option) => {
    const numbers = Object.hasOwn(perClass, option) ? perClass[option] : undefined;
    const cell = (name: string): string => {
      const value = numbers !== undefined && Object.hasOwn(numbers, name) ? numbers[name] : undefined;
      if (value === undefined) return '-';
      return name === 'support' ? String(value) : value.toFixed(3);
    };
    return `| ${escapeMarkdown(option)} | ${cell('precision')} | ${cell('recall')} | ${cell('f1')} | ${cell('support')} |`;
  });
  return ['| option | precision | recall | F1 | test rows |', '|---|---|---|---|---|', ...rows].join('\n');
}

function describeOrigin(
  { version, created_at, tool_version, classifier, training }: ManifestDraft,
  digest: string,
): string {
  const trainedOn = training?.version ?? version;
  const made = classifier === null ? 'Made' : 'Trained';
  const sentences = [
    `${made} ${created_at} on version ${trainedOn} of the decision type with Decision Workbench ${tool_version}.`,
  ];
  if (trainedOn !== version) {
    sentences.push(`Rules, thresholds and the other settings in it are those of version ${version}.`);
  }
  const { snapshot_sha256, seed, node, runtime } = training ?? {};
  if (snapshot_sha256) sentences.push(`The SHA-256 of its examples is ${snapshot_sha256}, its seed ${seed}.`);
  if (node && runtime) sentences.push(`It was computed with Node ${node} and ${runtime}.`);
  sentences.push(`What decides has the digest ${digest}, which decisions name.`);
  return sentences.join(' ');
}

function describePromise(promise: ModelCardFacts['promise']): string {
  if (promise === null) return nothingPromised.sentence;
  return promise.madeAt === null ? promise.sentence : `${promise.sentence} Promised ${promise.madeAt}.`;
}

/** The whole decision and its promise, as list items; no decision where an earlier version measured the policy. */
function describeWhole({ whole }: Metrics, promise: ModelCardFacts['promise']): string[] {
  const figures = whole === null ? [] : [escapeMarkdown(whole.headline), whole.sentence];
  return [...figures.filter((text) => text !== ''), describePromise(promise)].map((text) => `- ${text}`);
}

function describeCalibration({ ece, ece_before: before }: Metrics): string[] {
  if (ece === null || before === null) return ['- calibration error: too few rows to say'];
  return [`- calibration error ${ece.toFixed(3)} (before calibration ${before.toFixed(3)})`];
}

function describeDeciding({ manifest: { classifier }, plan, metrics }: ModelCardFacts, order: string): string {
  if (classifier === null || metrics === null) return order;
  return `${order} Otherwise a calibrated ${classifierWords[classifier.kind]} with ${metrics.feature_count} features decides. ${describeText(plan)}`;
}

function describeFigures(
  manifest: ManifestDraft,
  metrics: Metrics,
  promise: ModelCardFacts['promise'],
  learned: readonly string[],
): string[] {
  const interval = metrics.accuracy_interval;
  const range = interval === null ? '' : ` (${formatRange(interval)} with 95% confidence)`;
  return [
    '## How well it does',
    `${learned.join(' ')} Rules, classifier and thresholds of this bundle together:`,
    [
      ...describeWhole(metrics, promise),
      `- ${formatShare(metrics.escalation_estimate)} of decisions are expected to escalate`,
    ].join('\n'),
    '## The classifier alone',
    [
      `- accuracy ${formatShare(metrics.accuracy)}${range}, macro F1 ${metrics.macro_f1.toFixed(3)}, log loss ${metrics.log_loss.toFixed(3)}`,
      ...describeCalibration(metrics),
    ].join('\n'),
    writeOptionTable(manifest, metrics),
    metrics.familiarity === null
      ? 'It has no way to tell inputs that are unlike the examples.'
      : `Inputs unlike the examples are called unfamiliar. ${metrics.familiarity.sentence}`,
    'These figures hold for inputs like the examples. Measure again when the inputs change.',
    ...describeWeakParts(metrics),
    ...listUnder(
      'Notes',
      metrics.notes.map((note) => escapeMarkdown(note)),
    ),
  ];
}

/** Where it was weak when it was trained; nothing where an earlier version did not search. */
function describeWeakParts({ weak_parts: parts }: Metrics): string[] {
  if (parts === null) return [];
  if (parts.length === 0) return ['No part of at least 30 of these rows was certainly worse than the others.'];
  const items = parts.map(
    ({ description, rows, errors }) => `${escapeMarkdown(description)}: ${errors} of ${rows} decided alone and wrongly`,
  );
  return listUnder('Where it was weak when it was trained', items);
}

/** In one line, without characters that would end the quotation. */
const quoteCode = (code: string) => `\`${code.replaceAll(/[\r\n`]+/g, ' ')}\``;

function describeRules({ rules }: RulesFile, { rules: sentences, moreRules }: ReturnType<typeof listPolicyFacts>) {
  const items = sentences.map((sentence, at) => {
    const { name = '', reason_code: code = null } = rules[at] ?? {};
    return `${escapeMarkdown(name)}: ${sentence}${code === null ? '' : ` Its reason code is ${escapeMarkdown(code)}.`}`;
  });
  return listUnder('Rules', moreRules > 0 ? [...items, `${moreRules} more are in \`rules.json\`.`] : items);
}

/** The reason codes that a decision of the classifier may carry, by its option. */
function describeReasons({ manifest, reasons }: ModelCardFacts): string[] {
  const items = manifest.options.flatMap((option) => {
    const usual = Object.hasOwn(reasons.by_option, option) ? (reasons.by_option[option] ?? []) : [];
    const chosen = reasons.heads.filter(({ options }) => options.includes(option)).map(({ code }) => code);
    const codes = [...new Set([...usual, ...chosen])].map(escapeMarkdown);
    return codes.length === 0 ? [] : [`${escapeMarkdown(option)}: ${codes.join(', ')}`];
  });
  return listUnder('Reason codes', items);
}

const maxListedFields = 100;
const maxListedValues = 8;

function describeSeen({ kind, values, range }: InputField): string {
  if (range !== null) return escapeMarkdown(range.join(' to '));
  if (values === null) return kind === 'boolean' ? 'true, false' : '';
  const listed = values.slice(0, maxListedValues).map((value) => escapeMarkdown(value.slice(0, 50)));
  return [...listed, ...(values.length > listed.length ? [`${values.length - listed.length} more`] : [])].join(', ');
}

function describeFields(fields: readonly InputField[] = []): string[] {
  if (fields.length === 0) return [];
  const rows = fields.slice(0, maxListedFields).map((field) => {
    const missing = field.missing === null ? '' : formatShare(field.missing);
    const name = escapeMarkdown(field.path.join('.'));
    return `| ${name} | ${field.kind} | ${describeSeen(field)} | ${missing} | ${field.required ? 'yes' : 'no'} |`;
  });
  const rest = fields.length - rows.length;
  return [
    '## What it reads',
    ['| field | kind | values, or range in the examples | missing | required |', '|---|---|---|---|---|', ...rows].join(
      '\n',
    ),
    ...(rest > 0 ? [`${rest} more fields are listed in \`manifest.json\`.`] : []),
    "A dot in a name leads into an object, or is part of the name of a table's column. What else an input holds is not read.",
  ];
}

function describeReadings(readings: readonly PathReading[] = []): string[] {
  if (readings.length === 0) return [];
  const rows = readings
    .slice(0, maxListedFields)
    .map(({ path, reading }) => `- **${escapeMarkdown(path.join('.'))}**: ${escapeMarkdown(nounOf(reading))}`);
  const rest = readings.length - rows.length;
  return [
    '## How texts are read',
    'As in the file that the policy learned from: a number, a date, true or false may be sent as a text of this form. What is not counts as missing, and the answer says so in `unread`.',
    [...rows, ...(rest > 0 ? [`- ${rest} more fields, listed in \`manifest.json\``] : [])].join('\n'),
  ];
}

const maxExampleLength = 600;

function toPython(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  const entries = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${toPython(member)}`);
  return `{${entries.join(', ')}}`;
}

/** A golden decision as a program: the first whose input is short, else the shortest. */
function writeExample(golden: readonly Golden[]): string {
  const open = 'from decision_edge import EdgePredictor\n\npredictor = EdgePredictor.from_bundle("bundle.zip")';
  const examples = golden.map(({ input, output }) => ({ code: toPython(input), output }));
  const short = examples.find(({ code }) => code.length > 2 && code.length <= maxExampleLength);
  const example = short ?? examples.toSorted((a, b) => a.code.length - b.code.length)[0];
  if (example === undefined) return `${open}\nprint(predictor.fields)`;
  const { decision, stage } = example.output;
  const answer = `${decision.replaceAll(/\s+/g, ' ')} ${stage}`;
  return `${open}\nresult = predictor.predict(${example.code})\nprint(result.decision, result.stage)  # ${answer}`;
}

const listUnder = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`## ${title}`, items.map((item) => `- ${item}`).join('\n')];

/** The bundle's `model-card.md`: in plain words what was trained on what, how well it does and how to run it. */
export function writeModelCard(facts: ModelCardFacts): string {
  const { manifest, metrics, plan, promise, golden, pinned = 0 } = facts;
  const asked = { ...manifest, rules: facts.rules.rules, isRulesOnly: manifest.classifier === null, metrics };
  const shared = listPolicyFacts(asked, { names: maxNames, rules: maxListedRules }, escapeMarkdown, quoteCode);
  const isSynthetic = manifest.golden_inputs === 'synthetic';
  const leftOut = plan.left_out.map((entry) => `${escapeMarkdown(entry.path)}: ${escapeMarkdown(entry.reason)}`);
  const parts = manifest.classifier === null ? '' : ', the feature plan, the classifier (ONNX), reason codes,';
  const goldenWords = isSynthetic
    ? 'those of inputs that nobody sent, made up of what at least five examples share, without personal fields'
    : 'those of some examples as they are, with personal fields replaced';
  const pinnedWords = pinned === 0 ? '' : `; before them, ${pinned} pinned cases as they are, personal fields replaced`;
  const sections = [
    writeCardHead(facts),
    `# ${escapeMarkdown(manifest.decision_type)}, policy ${manifest.policy_version}`,
    describeOrigin(manifest, facts.digest),
    '## What it decides',
    shared.answers,
    describeDeciding(facts, shared.order),
    shared.undecided,
    ...(metrics === null ? [describePromise(promise)] : describeFigures(manifest, metrics, promise, shared.learned)),
    '## Intended use',
    `Inputs like the examples, decided by a program that leaves to a person what comes back with \`escalate\` true. Not for inputs from elsewhere, and not for decisions that nobody looks at afterwards: what it learned grows old.`,
    ...describeRules(facts.rules, shared),
    ...describeReasons(facts),
    ...describeFields(manifest.fields),
    ...describeReadings(manifest.readings),
    ...listUnder('Fields left out', leftOut),
    '## What is inside',
    `The hard rules${parts} and golden decisions to test an implementation against: ${goldenWords}${pinnedWords}. The settings and the SHA-256 of every file are in \`manifest.json\`; terms are in \`LICENSES\`.`,
    !needsTokenizer(plan)
      ? 'Nothing else is needed to run it.'
      : 'It reads text: a full bundle holds the text files, a slim one names them by SHA-256.',
    '## How to run it from Python',
    isSynthetic ? 'The input is made up, its answer is that of the bundle.' : 'The input is one of the examples.',
    `\`\`\`python\n${writeExample(golden.length > pinned ? golden.slice(pinned) : golden)}\n\`\`\``,
  ];
  return `${sections.join('\n\n')}\n`;
}
