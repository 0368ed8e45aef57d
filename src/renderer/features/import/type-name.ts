/** The name of a decision type after its file. */

const spelledOut: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'oe',
  å: 'aa',
  ł: 'l',
  đ: 'd',
};

const toWords = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^a-z]/g, (letter) => spelledOut[letter] ?? letter)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/** Makes “buchungen-maerz” of “Buchungen März.csv”, with the name of a further answer; other alphabets stay. */
export function toTypeName(fileName: string, answer = ''): string {
  return toWords(`${fileName.replace(/\.[^.]+$/, '')} ${answer}`) || 'decisions';
}
