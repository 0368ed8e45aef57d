/** Columns that tell who somebody is. */

/** Different texts that are looked at. */
const maxTexts = 1_000;

/** Names of columns that tell who somebody is, in the usual languages. */
const personalName =
  /^(?:(?:first|last|given|family|full|vor|nach|familien)[ _-]?name|surname|pr[eé]nom|apellidos?|cognome|geburts(?:datum|tag)|birth[ _-]?(?:date|day)|date[ _]of[ _]birth|dob|date de naissance|e-?mail(?:[ _-]?address)?|(?:tele|mobil)?(?:fon|phone)(?:nummer|[ _-]?number)?|iban|anschrift|(?:postal |home )?address|adresse)$/i;
/** Names of columns that people and things have, or that say what somebody is to us; and the name of a person. */
const anyName =
  /^(?:(?:customer|client|kunden|contact|patient|employee|member|guest|user|owner|holder|insured|applicant)[ _-]?)?name$|^nom(?:bre|e)?$|^(?:kund|mandant|patient|klient)(?:e|en|in)?$|(?:nehmer|halter|inhaber|steller|mieter|bewerber|mitarbeiter|ansprechpartner|versicherte|gl[aä]ubiger|schuldner)(?:in|[rn])?$|^(?:policy[ _-]?holder|applicant|claimant|insured|customer|client|patient|employee|tenant|contact|holder|owner|debtor|candidate|borrower)$|^(?:titulaire|assur[eé]|demandeur|locataire|cliente?|titular|solicitante|paciente|intestatario|richiedente|assicurato)$/iu;
const fullName = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}.'’-]*)+$/u;
const minNameShare = 0.8;

/** Values that reach one person, whatever their column is called: e-mail, IBAN, phone with its code, German plate. */
const contact =
  /^(?:[^\s@]+@[^\s@]+\.\p{L}{2,}|\p{Lu}{2}\d{2}(?: ?[\p{Lu}\d]{4}){3,7}(?: ?[\p{Lu}\d]{1,4})?|\+\d[\d ()/-]{6,}\d|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\d{1,4}[EH]?)$/u;

/** Whether a column tells who somebody is, by its name and its texts. */
export function tellsPerson(name: string, texts: readonly string[]): boolean {
  const sample = texts.slice(0, maxTexts);
  const areAll = (shape: RegExp) => sample.filter((text) => shape.test(text)).length >= minNameShare * sample.length;
  const isNamed = personalName.test(name) || (anyName.test(name) && areAll(fullName));
  return sample.length > 1 && (isNamed || areAll(contact));
}
