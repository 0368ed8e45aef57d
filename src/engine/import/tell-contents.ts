/** Columns that tell who somebody is. */

/** Different texts that are looked at. */
const maxTexts = 1_000;

/** Names of columns that tell who somebody is, in the usual languages. */
const personalName =
  /^(?:(?:first|last|given|family|full|vor|nach|familien)[ _-]?name|surname|pr[eé]nom|apellidos?|cognome|geburts(?:datum|tag)|birth[ _-]?(?:date|day)|date[ _]of[ _]birth|dob|date de naissance|e-?mail(?:[ _-]?address)?|(?:tele|mobil)?(?:fon|phone)(?:nummer|[ _-]?number)?|iban|anschrift|(?:postal |home )?address|adresse)$/i;
/** A name of a column that people and things have, and one of a person. */
const anyName = /^(?:(?:customer|client|kunden)[ _-]?)?name$|^nom$|^nombre$|^kunde$/i;
const fullName = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}.'’-]*)+$/u;
const minNameShare = 0.8;

/** Whether a column tells who somebody is, by its name and its texts. */
export function tellsPerson(name: string, texts: readonly string[]): boolean {
  const sample = texts.slice(0, maxTexts);
  const areNames = () => sample.filter((text) => fullName.test(text)).length >= minNameShare * sample.length;
  return sample.length > 1 && (personalName.test(name) || (anyName.test(name) && areNames()));
}
