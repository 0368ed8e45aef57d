/** One decision on one page, for the person who asks why: plain words, in four languages, to read and to print. */
import { z } from 'zod';
import { stages } from '../domain/decision.ts';
import { type Json, jsonObject } from '../json.ts';
import { type CaseLanguage, caseLanguageSchema, caseWords } from './case-words.ts';
import { escapeHtml, quoteText } from './html.ts';
import { reportStyle } from './write-report.ts';

const changeSchema = z.object({
  field: z.string(),
  to: z.unknown().describe('null: the field left out'),
  words: z.string().nullable().describe('Words that are left out of a text'),
});

const shareOfGroupSchema = z.object({
  group: z.string().nullable().describe('null: the field is personal'),
  share: z.number(),
});

const caseSchema = z
  .object({
    language: caseLanguageSchema,
    request_id: z.string(),
    log_id: z.string(),
    decided_at: z.string(),
    decision_type: z.string(),
    question: z.string(),
    decision: z.string(),
    confidence: z.number(),
    stage: z.enum(stages),
    reason_codes: z.array(z.string()),
    escalated: z.boolean(),
    unfamiliar: z.boolean(),
    corrected_decision: z.string().nullable(),
    input: jsonObject.describe('Personal fields are masked'),
    masked_fields: z.array(z.string()),
    rule: z.object({ name: z.string(), condition: z.string(), sentence: z.string() }).nullable(),
    classifier: z
      .object({ choice: z.string(), probability: z.number() })
      .nullable()
      .describe('What the classifier chose; null where it was not asked'),
    causes: z
      .array(z.object({ field: z.string(), value: z.unknown(), words: z.array(z.string()) }))
      .describe('What weighed most for what the classifier chose, heaviest first'),
    would_change: z
      .array(z.object({ changes: z.array(changeSchema), decision: z.string() }))
      .nullable()
      .describe('The smallest changes that lead to another decision; null where it cannot be worked out'),
    looked: z.array(z.object({ who: z.string().nullable(), at: z.string(), decision: z.string() })),
    release: z
      .object({
        number: z.int(),
        digest: z.string(),
        policy_version: z.string(),
        since: z.string(),
        by: z.string().nullable().describe('null: the training itself'),
      })
      .nullable(),
    known_errors: z
      .object({ wrong: z.int(), of: z.int(), share: z.number(), low: z.number(), high: z.number() })
      .nullable()
      .describe('Of what the policy was to decide alone on unseen examples when it was trained; null: not measured'),
    groups: z
      .array(
        z.object({
          field: z.string(),
          option: z.string(),
          ratio: z.number(),
          least: shareOfGroupSchema,
          most: shareOfGroupSchema,
        }),
      )
      .describe('How evenly an answer goes to the groups of the type, on unseen examples by the settings of today'),
    written_at: z.string(),
  })
  .meta({ id: 'CaseFile' });
export type CaseFile = z.infer<typeof caseSchema>;

const maxValueLength = 300;

/** Writes a case as an HTML document that runs nothing and loads nothing but its own style, as `policy` says. */
export function writeCase(facts: CaseFile, securityPolicy: string): string {
  const words = caseWords[facts.language];
  const time = (iso: string) => formatTime(iso, facts.language);
  const decided = `<p class="headline">${words.decided(quoteText(facts.decision), time(facts.decided_at))}</p>`;
  const corrected =
    facts.corrected_decision === null || facts.corrected_decision === facts.decision
      ? ''
      : `<p><strong>${words.corrected(quoteText(facts.corrected_decision))}</strong></p>`;
  const sections = [
    ...(facts.question === ''
      ? []
      : [[words.asked, `<p class="description">${quoteText(facts.question)}</p>`] as const]),
    [words.why, toList([...describeReasons(facts), ...describeCodes(facts)], 'p')],
    ...(facts.causes.length === 0
      ? []
      : [
          [
            words.causes(quoteText(facts.classifier?.choice ?? facts.decision)),
            toList(
              facts.causes.map((each) => describeCause(facts, each)),
              'li',
            ),
          ] as const,
        ]),
    [words.change, describeChanges(facts)],
    [words.looked, describeLooks(facts)],
    [words.release, describeRelease(facts)],
    [words.known, `<p>${describeErrors(facts)}</p>${listGroups(facts)}`],
    [words.contest, `<p>${words.howTo(`<code>${quoteText(facts.request_id)}</code>`)}</p>`],
    [words.input, listInput(facts)],
  ] as const;
  return `<!doctype html>
<html lang="${facts.language}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${escapeHtml(securityPolicy)}">
<meta name="viewport" content="width=device-width"><title>${escapeHtml(words.title)}</title><style>${reportStyle}</style></head><body><main>
<h1>${words.title}</h1>
${decided}${corrected}
${sections.map(([title, html]) => `<section><h2>${title}</h2>${html}</section>`).join('\n')}
<footer>${words.made(time(facts.written_at))}</footer>
</main></body></html>
`;
}

const toList = (items: readonly string[], tag: 'p' | 'li') => {
  const html = items.map((item) => `<${tag}>${item}</${tag}>`).join('');
  return tag === 'li' ? `<ul>${html}</ul>` : html;
};

function formatTime(iso: string, language: CaseLanguage): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, format).format(new Date(iso))} UTC`;
}

const formatShare = (share: number, language: CaseLanguage) =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(share);

function showValue(value: unknown, language: CaseLanguage): string {
  if (typeof value === 'boolean') return value ? caseWords[language].yes : caseWords[language].no;
  const text =
    typeof value === 'number'
      ? new Intl.NumberFormat(language, { maximumFractionDigits: 6 }).format(value)
      : String(typeof value === 'object' ? JSON.stringify(value) : value);
  return quoteText(text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text);
}

function describeReasons({ language, decision, stage, confidence, rule, classifier, ...facts }: CaseFile): string[] {
  const words = caseWords[language];
  const extra = [...(facts.unfamiliar ? [words.unfamiliar] : []), ...(facts.escalated ? [words.handedOn] : [])];
  if (rule !== null) {
    return [
      words.rule(`<strong>${quoteText(rule.name)}</strong>`),
      `${words.ruleReads} ${quoteText(rule.sentence)}`,
      ...extra,
    ];
  }
  if (stage === 'classifier') return [words.classifier(formatShare(confidence, language)), ...extra];
  const thought =
    classifier && words.thought(quoteText(classifier.choice), formatShare(classifier.probability, language));
  if (stage === 'escalation') return [words.model, ...(thought === null ? [] : [thought]), ...extra];
  if (stage === 'rules') return extra;
  return thought === null
    ? [words.fallback(quoteText(decision)), words.notAsked, ...extra]
    : [words.fallback(quoteText(decision)), thought, ...extra];
}

const describeCodes = ({ language, reason_codes: codes }: CaseFile): string[] =>
  codes.length === 0
    ? []
    : [caseWords[language].codes(codes.map((code) => `<strong>${quoteText(code)}</strong>`).join(', '))];

function describeCause({ language }: CaseFile, { field, value, words: shown }: CaseFile['causes'][number]): string {
  const words = caseWords[language];
  const of = `<strong>${quoteText(field)}</strong>`;
  if (shown.length > 0) return words.wordsIn(of, shown.map((each) => `“${quoteText(each)}”`).join(', '));
  return words.valueIs({ of, is: showValue(value, language) });
}

function describeChanges({ language, would_change: flips }: CaseFile): string {
  const words = caseWords[language];
  if (flips === null) return `<p>${words.unknownChange}</p>`;
  if (flips.length === 0) return `<p>${words.noChange}</p>`;
  const items = flips.map(({ changes, decision }) => {
    const shown = changes.map(({ field, to, words: gone }) => {
      const of = `<strong>${quoteText(field)}</strong>`;
      if (gone !== null) return words.withoutWords(`“${quoteText(gone)}”`, of);
      return to === null ? words.fieldMissing(of) : words.fieldWere(of, showValue(to, language));
    });
    return words.ifWere(shown.join(words.join), `<strong>${quoteText(decision)}</strong>`);
  });
  return toList(items, 'li');
}

function describeLooks({ language, looked }: CaseFile): string {
  const words = caseWords[language];
  if (looked.length === 0) return `<p>${words.nobody}</p>`;
  const items = looked.map(({ who, at, decision }) =>
    words.lookedAt(who === null ? words.someone : quoteText(who), formatTime(at, language), quoteText(decision)),
  );
  return toList(items, 'p');
}

function describeRelease({ language, release }: CaseFile): string {
  const words = caseWords[language];
  if (release === null) return `<p>${words.noRelease}</p>`;
  const { number, policy_version, since, by, digest } = release;
  const is = words.releaseIs(String(number), escapeHtml(policy_version), formatTime(since, language));
  const whose = words.releaseBy(by === null ? words.itself : quoteText(by));
  return `<p>${is} ${whose}<br><code class="quiet">${digest}</code></p>`;
}

function describeErrors({ language, known_errors: known }: CaseFile): string {
  const words = caseWords[language];
  if (known === null) return words.unmeasured;
  const share = (value: number) => formatShare(value, language);
  return words.wrong(
    share(known.share),
    share(known.low),
    share(known.high),
    new Intl.NumberFormat(language).format(known.of),
  );
}

function listGroups({ language, groups }: CaseFile): string {
  const words = caseWords[language];
  if (groups.length === 0) return '';
  const show = ({ group, share }: CaseFile['groups'][number]['least']) => {
    const name = group === null ? null : readGroup(group, language);
    return formatShare(share, language) + (name === null ? '' : ` (${name})`);
  };
  const items = groups.map(({ field, option, least, most }) =>
    words.groups({ by: quoteText(field), option: quoteText(option), least: show(least), most: show(most) }),
  );
  return `<p>${words.groupsTried}</p>${toList(items, 'li')}`;
}

/** A value that names a group; ranges are named in English alone. */
function readGroup(name: string, language: CaseLanguage): string | null {
  if (/^(?:".*"|true|false|-?[\d.]+)$/s.test(name)) return showValue(JSON.parse(name), language);
  return language === 'en' ? quoteText(name) : null;
}

function listInput({ language, input, masked_fields: masked }: CaseFile): string {
  const rows = listValues(input).map(([field, value]) => {
    const isMasked = masked.some((each) => field === each || field.startsWith(`${each}.`));
    const shown = isMasked ? `<span class="quiet">${caseWords[language].masked}</span>` : showValue(value, language);
    return `<tr><th scope="row">${quoteText(field)}</th><td class="description">${shown}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

/** The values of an input by their dot paths; lists stay whole. */
function listValues(value: Json, path = ''): [string, Json][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, member]) => listValues(member, path === '' ? key : `${path}.${key}`));
}
