/** Names that people give to types, options, rules and fields: they hold nothing that nobody sees. */

/** Joiners stay between letters of scripts that are written with them and in emoji, as do the variants of emoji. */
const unseen =
  /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\u200c-\u200d\ufe0e-\ufe0f]]|(?<![\u0300-\u{10ffff}])[\u200c-\u200d]|[\u200c-\u200d](?![\u0300-\u{10ffff}])|(?<!\p{Emoji})[\ufe0e-\ufe0f]/gv;

/** The text as a name: in NFC, with blanks for tabs and line breaks, and without signs that nobody sees. */
export const toName = (text: string): string =>
  text
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replace(unseen, '')
    .normalize('NFC')
    .trim();

/** Says why a text cannot be a name; null where it can. */
export function describeNameFault(text: string): string | null {
  const [sign] = text.match(unseen) ?? [];
  if (sign !== undefined) {
    const code = sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return `must not hold U+${code}, a sign that nobody sees`;
  }
  return text === text.normalize('NFC') ? null : 'must be written in the normal form NFC of Unicode';
}
