/** Sentences about text columns whose cells hold more than words: lists, and what tells who somebody is. */
import { formatCount } from '../numeric.ts';

/** Different texts that are looked at, and the characters of a text that may be a list. */
const maxTexts = 1_000;
const maxListLength = 200;
const minListShare = 0.3;

/** Notes that cells list several things, which are learned from only as a whole. */
export function tellLists(texts: readonly string[]): string {
  const sample = texts.slice(0, maxTexts);
  const lists = sample.map((text) =>
    text.length > maxListLength ? [text] : text.split(';').map((part) => part.trim()),
  );
  const things = new Set(lists.flat().filter((thing) => thing !== ''));
  const several = lists.filter((list) => list.length > 1);
  // Sentences with semicolons hold other things in each cell.
  if (several.length < 2 || several.length < minListShare * sample.length || things.size >= sample.length) return '';
  const count = formatCount(things.size);
  return `its cells list several of ${count} things and are learned as a whole: a column of yes and no for each thing says more`;
}

/** Names of columns that tell who somebody is, in the usual languages. */
const personalName =
  /^(?:(?:first|last|given|family|full|vor|nach|familien)[ _-]?name|surname|pr[eé]nom|apellidos?|cognome|geburts(?:datum|tag)|birth[ _-]?(?:date|day)|date[ _]of[ _]birth|dob|date de naissance|e-?mail(?:[ _-]?address)?|(?:tele|mobil)?(?:fon|phone)(?:nummer|[ _-]?number)?|iban|anschrift|(?:postal |home )?address|adresse)$/i;
/** A name of a column that people and things have, and one of a person. */
const anyName = /^(?:(?:customer|client|kunden)[ _-]?)?name$|^nom$|^nombre$|^kunde$/i;
const fullName = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}.'’-]*)+$/u;
const minNameShare = 0.8;

/** Notes that a column tells who somebody is. */
export function tellPerson(name: string, texts: readonly string[]): string {
  const sample = texts.slice(0, maxTexts);
  const areNames = () => sample.filter((text) => fullName.test(text)).length >= minNameShare * sample.length;
  const isPersonal = sample.length > 1 && (personalName.test(name) || (anyName.test(name) && areNames()));
  return isPersonal ? 'it tells who somebody is: leave it out, or make it a personal field of the decision type' : '';
}
