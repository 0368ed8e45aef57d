/** A decision type's words about its options: the labelling model starts from them before there are labels. */
import type { Definition } from '../domain/definition.ts';

const maxSentences = 8;

/** `refund_late` as a person would say it: "refund late". */
function toWords(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./]+/g, ' ')
    .trim();
}

/** One text for each option: its name, codes of its rules, and sentences of the description about it. */
export function writeOptionTexts(
  { options, hard_rules: rules }: Pick<Definition, 'options' | 'hard_rules'>,
  description: string,
): string[] {
  const sentences = description.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== '');
  return options.map((option) => {
    const words = toWords(option);
    const reasons = rules.flatMap((rule) =>
      rule.then === option && rule.reason_code !== null ? [toWords(rule.reason_code)] : [],
    );
    const named = sentences.filter((sentence) => {
      const lower = sentence.toLowerCase();
      return lower.includes(option.toLowerCase()) || lower.includes(words.toLowerCase());
    });
    return [words, ...new Set(reasons), ...named.slice(0, maxSentences)].join('. ');
  });
}
