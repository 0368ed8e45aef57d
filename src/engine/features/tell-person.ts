/** Columns that tell who somebody is: by their names in the languages of the text models, or by their values. */

/** Different texts that are looked at. */
const maxTexts = 1_000;
/** No longer text names somebody, or says where somebody lives: a column called e-mail may hold whole letters. */
const maxCharacters = 120;

/** Whole names of columns that tell who somebody is. */
const personalName = new RegExp(
  `^(?:${[
    // Names of persons.
    '(?:first|last|given|family|full|middle|vor|nach|familien)[ _-]?names?|surname|forename|pr[eé]nom|nom de famille',
    'apellidos?|cognome|sobrenome|(?:primer|segundo) (?:nombre|apellido)|nome completo|voornaam|achternaam',
    'imi[eę]|nazwisko|soyad[ıi]|фамилия|имя|отчество|фио|氏名|お名前|姓名|顧客名|客户姓名|성명|이름|고객명|ชื่อ|นามสกุล|الاسم|اللقب',
    // Days of birth.
    'geburts(?:datum|tag)|birth[ _-]?(?:date|day)|date[ _]of[ _]birth|dob|date de naissance|fecha de nacimiento',
    'data di nascita|data de nascimento|geboortedatum|data urodzenia|do[gğ]um tarihi|дата рождения|生年月日|出生日期|생년월일',
    // E-mail and phone.
    'e-?mail(?:[ _-]?(?:address|adresse))?|correo(?: electr[oó]nico)?|courriel|почта|メール(?:アドレス)?|邮箱|电子邮件|이메일',
    '(?:tele|mobil|handy)?(?:fon|phone)(?:nummer|[ _-]?(?:number|no))?|mobile[ _-]?number|handynummer|tel(?:efono?|[eé]fono|efoon|efone|\\.)?',
    't[eé]l[eé]phone|cellulare|celular|telefon|телефон|電話(?:番号)?|电话|手机号?码?|전화번호|휴대폰|โทรศัพท์|هاتف|الهاتف',
    // Accounts and plates.
    'iban|kontonummer|kontonr\\.?|(?:bank )?account[ _-]?(?:number|no\\.?)|num[eé]ro de (?:compte|cuenta)|numero di conto|rekeningnummer',
    'kennzeichen|nummernschild|(?:license|licence|number)[ _-]?plate|plaque d.immatriculation|matr[ií]cula|targa|kenteken|госномер|車両番号|车牌号?',
    // Addresses.
    'anschrift|(?:postal |home |street )?address|(?:wohn|post)?adresse|stra(?:ß|ss)e|street|direcci[oó]n|domicilio|indirizzo',
    'endere[cç]o|morada|woonadres|adres|адрес|住所|地址|주소|ที่อยู่|العنوان',
  ].join('|')})$`,
  'iu',
);
/** Names of columns that people and things have, or that say what somebody is to us; and the name of a person. */
const anyName =
  /^(?:(?:customer|client|kunden|contact|patient|employee|member|guest|user|owner|holder|insured|applicant)[ _-]?)?name$|^nom(?:bre|e)?$|^naam$|^nazwa$|^adı$|^(?:kund|mandant|patient|klient)(?:e|en|in)?$|(?:nehmer|halter|inhaber|steller|mieter|bewerber|mitarbeiter|ansprechpartner|versicherte|gl[aä]ubiger|schuldner)(?:in|[rn])?$|^(?:policy[ _-]?holder|applicant|claimant|insured|customer|client|patient|employee|tenant|contact|holder|owner|debtor|candidate|borrower)$|^(?:titulaire|assur[eé]|demandeur|locataire|cliente?|titular|solicitante|paciente|intestatario|richiedente|assicurato|segurado|requerente|klant|verzekerde|aanvrager|klient|ubezpieczony|wnioskodawca|m[uü][sş]teri|sigortal[ıi]|клиент|заявитель|страхователь)$/iu;
const fullName = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}.'’-]*)+$/u;
const minNameShare = 0.8;

/** Values that reach one person whatever their column is called: e-mail, IBAN, German plate, phone, home address. */
const contact = new RegExp(
  [
    '^(?:[^\\s@]+@[^\\s@]+\\.\\p{L}{2,}',
    '\\p{Lu}{2}\\d{2}(?: ?[\\p{Lu}\\d]{4}){3,7}(?: ?[\\p{Lu}\\d]{1,4})?',
    '\\+\\d[\\d ()/-]{6,}\\d|0\\d{1,4}[ /-]\\d[\\d ]{4,}\\d|\\(\\d{3}\\) ?\\d{3}-\\d{4}',
    '[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\\d{1,4}[EH]?',
    "\\p{Lu}[\\p{L}.' -]*(?:str(?:aße|asse|\\.)|weg|allee|platz|gasse|straat|laan) \\d{1,4} ?\\p{L}?(?:,.*)?",
    '\\d{1,5} (?:\\p{Lu}[\\p{L}.]* )+(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Dr|Court|Blvd)\\.?(?:,.*)?',
    '(?:\\d{1,4}(?: bis)?,? (?:rue|avenue|boulevard|place)|Calle|Avenida|Via|Viale|Piazza|Rua|ul\\.|ул\\.) [\\p{L}\\d].*\\p{L}.*)$',
  ].join('|'),
  'u',
);

/** Whether a column tells who somebody is, by its name and its texts. */
export function tellsPerson(name: string, texts: readonly string[]): boolean {
  const sample = texts.slice(0, maxTexts);
  const countShare = (fits: (text: string) => boolean) => sample.filter(fits).length / Math.max(1, sample.length);
  const areAll = (shape: RegExp) => countShare((text) => shape.test(text)) >= minNameShare;
  if (sample.length < 2 || countShare((text) => text.length <= maxCharacters) < minNameShare) return false;
  return personalName.test(name.trim()) || (anyName.test(name) && areAll(fullName)) || areAll(contact);
}
