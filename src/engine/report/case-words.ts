/** The words of a case file in each language that it is written in. */
import { z } from 'zod';
import { maskWords } from '../pii.ts';
import { type ConditionWords, englishConditions } from '../rules/analysis/words.ts';

export const caseLanguages = ['en', 'de', 'fr', 'es'] as const;
export const caseLanguageSchema = z.enum(caseLanguages);
export type CaseLanguage = z.infer<typeof caseLanguageSchema>;

type Quoted = { of: string; is: string };
/** Names come quoted, as HTML; figures come as they are written in the language. */
export type CaseWords = {
  title: string;
  asked: string;
  decided(decision: string, at: string): string;
  corrected(decision: string): string;
  why: string;
  rule(name: string): string;
  ruleReads: string;
  ruleIs(tests: string, option: string): string;
  conditions: ConditionWords;
  classifier(confidence: string): string;
  fallback(decision: string): string;
  thought(option: string, confidence: string): string;
  notAsked: string;
  model: string;
  unfamiliar: string;
  handedOn: string;
  codes(codes: string): string;
  causes(option: string): string;
  valueIs(each: Quoted): string;
  wordsIn(field: string, words: string): string;
  change: string;
  ifWere(changes: string, decision: string): string;
  fieldWere(field: string, to: string): string;
  fieldMissing(field: string): string;
  withoutWords(words: string, field: string): string;
  noChange: string;
  unknownChange: string;
  looked: string;
  nobody: string;
  someone: string;
  lookedAt(who: string, at: string, decision: string): string;
  input: string;
  masked: string;
  release: string;
  releaseIs(number: string, policy: string, at: string): string;
  releaseBy(who: string): string;
  itself: string;
  noRelease: string;
  known: string;
  wrong(share: string, low: string, high: string, of: string): string;
  unmeasured: string;
  groupsTried: string;
  groups(each: Record<'by' | 'option' | 'least' | 'most', string>): string;
  contest: string;
  howTo(request: string): string;
  made(at: string): string;
  join: string;
  yes: string;
  no: string;
};

const en: CaseWords = {
  title: 'About this decision',
  asked: 'The question',
  decided: (decision, at) => `On ${at} the answer was ${decision}.`,
  corrected: (decision) => `A person has since corrected it: the right answer is ${decision}.`,
  why: 'Why',
  rule: (name) => `A fixed rule decided, named ${name}. Rules are written by people and come before all else.`,
  ruleReads: 'The rule reads:',
  ruleIs: (tests, option) => `If ${tests}, the answer is ${option}.`,
  conditions: englishConditions,
  classifier: (confidence) =>
    `A program that learned from earlier cases decided. It held this answer to be right with a probability of ${confidence}.`,
  fallback: (decision) =>
    `The program was not sure enough to decide. In such a case the answer is always ${decision}, set beforehand by people.`,
  thought: (option, confidence) => `It leaned towards ${option}, with a probability of ${confidence}.`,
  notAsked: 'No rule applied, and nothing else was asked.',
  model: 'The program was not sure enough to decide, so a language model was asked, and it chose this answer.',
  unfamiliar: 'The case was unlike those that the program had learned from.',
  handedOn: 'The case was marked for a person to look at.',
  codes: (codes) => `The reason was noted as ${codes}.`,
  causes: (option) => `What weighed most for ${option}`,
  valueIs: ({ of, is }) => `${of} is ${is}`,
  wordsIn: (field, words) => `in ${field}, the words ${words}`,
  change: 'What would have led to another answer',
  ifWere: (changes, decision) => `If ${changes}, the answer would have been ${decision}.`,
  fieldWere: (field, to) => `${field} had been ${to}`,
  fieldMissing: (field) => `${field} had been left out`,
  withoutWords: (words, field) => `the words ${words} had not been in ${field}`,
  noChange: 'No small change of what was given leads to another answer.',
  unknownChange: 'It cannot be worked out afterwards, as some of what was given is not kept.',
  looked: 'Who has looked at it',
  nobody: 'Nobody has looked at this decision so far: it was made automatically.',
  someone: 'A person',
  lookedAt: (who, at, decision) => `${who} looked at it on ${at} and found that the right answer is ${decision}.`,
  input: 'What was given',
  masked: maskWords,
  release: 'What decided',
  releaseIs: (number, policy, at) => `Release ${number} with policy ${policy}, in charge since ${at}.`,
  releaseBy: (who) => `It was put in charge by ${who}.`,
  itself: 'the program itself after a training, as people had set it up',
  noRelease: 'An earlier version of the program decided, which noted no release.',
  known: 'What was known of the program’s errors',
  wrong: (share, low, high, of) =>
    `Of ${of} cases that it had not seen and was to decide by itself, it got ${share} wrong (with 95% certainty between ${low} and ${high}).`,
  unmeasured: 'Its errors had not been measured.',
  groupsTried: 'It was also checked whether groups are treated alike.',
  groups: ({ by, option, least, most }) =>
    `By ${by}, the answer ${option} goes to between ${least} and ${most} of a group.`,
  contest: 'If you disagree',
  howTo: (request) =>
    `Ask whoever informed you of this decision to have a person look at it, and say which one you mean: ${request}. Say what is wrong or missing above. A person can correct the decision.`,
  made: (at) => `Written on ${at}.`,
  join: ' and ',
  yes: 'yes',
  no: 'no',
};

const de: CaseWords = {
  title: 'Über diese Entscheidung',
  asked: 'Die Frage',
  decided: (decision, at) => `Am ${at} lautete die Antwort ${decision}.`,
  corrected: (decision) => `Ein Mensch hat sie seitdem berichtigt: Richtig ist ${decision}.`,
  why: 'Warum',
  rule: (name) =>
    `Eine feste Regel hat entschieden, sie heißt ${name}. Regeln werden von Menschen geschrieben und gehen allem anderen vor.`,
  ruleReads: 'Sie besagt:',
  ruleIs: (tests, option) => `Die Antwort lautet ${option}, wenn gilt: ${tests}.`,
  conditions: {
    tests: {
      '==': 'ist',
      '!=': 'ist nicht',
      '<': 'ist kleiner als',
      '<=': 'ist höchstens',
      '>': 'ist größer als',
      '>=': 'ist mindestens',
      in: 'ist eines von',
      'not in': 'ist keines von',
      'in list': 'steht in der Liste',
      'not in list': 'steht nicht in der Liste',
      contains: 'enthält',
      startsWith: 'beginnt mit',
      endsWith: 'endet mit',
      mentions: 'erwähnt',
      is: 'ist (groß oder klein geschrieben)',
      present: 'ist angegeben',
      absent: 'fehlt',
      empty: 'ist leer',
      filled: 'ist nicht leer',
    },
    and: ' und ',
    or: ' oder ',
  },
  classifier: (confidence) =>
    `Ein Programm hat entschieden, das aus früheren Fällen gelernt hat. Es hielt diese Antwort mit einer Wahrscheinlichkeit von ${confidence} für richtig.`,
  fallback: (decision) =>
    `Das Programm war sich nicht sicher genug. Dann lautet die Antwort immer ${decision}; das haben Menschen vorher so festgelegt.`,
  thought: (option, confidence) => `Es neigte zu ${option}, mit einer Wahrscheinlichkeit von ${confidence}.`,
  notAsked: 'Keine Regel traf zu, und sonst wurde nichts befragt.',
  model:
    'Das Programm war sich nicht sicher genug. Daher wurde ein Sprachmodell gefragt, das diese Antwort gewählt hat.',
  unfamiliar: 'Der Fall war anders als die Fälle, aus denen das Programm gelernt hat.',
  handedOn: 'Der Fall wurde zur Durchsicht durch einen Menschen vorgemerkt.',
  codes: (codes) => `Als Grund wurde festgehalten: ${codes}.`,
  causes: (option) => `Was am meisten für ${option} sprach`,
  valueIs: ({ of, is }) => `${of} ist ${is}`,
  wordsIn: (field, words) => `in ${field} die Wörter ${words}`,
  change: 'Was zu einer anderen Antwort geführt hätte',
  ifWere: (changes, decision) => `Wenn ${changes}, hätte die Antwort ${decision} gelautet.`,
  fieldWere: (field, to) => `${field} ${to} gewesen wäre`,
  fieldMissing: (field) => `${field} gefehlt hätte`,
  withoutWords: (words, field) => `die Wörter ${words} nicht in ${field} gestanden hätten`,
  noChange: 'Keine kleine Änderung der Angaben führt zu einer anderen Antwort.',
  unknownChange: 'Das lässt sich nachträglich nicht feststellen, da ein Teil der Angaben nicht aufbewahrt wird.',
  looked: 'Wer sie angesehen hat',
  nobody: 'Bisher hat niemand diese Entscheidung angesehen; sie wurde automatisch getroffen.',
  someone: 'Ein Mensch',
  lookedAt: (who, at, decision) => `${who} hat sie am ${at} angesehen. Ergebnis: Richtig ist ${decision}.`,
  input: 'Die Angaben',
  masked: 'persönlich, hier nicht gezeigt',
  release: 'Was entschieden hat',
  releaseIs: (number, policy, at) => `Stand ${number} mit dem Regelwerk ${policy}, im Einsatz seit ${at}.`,
  releaseBy: (who) => `In Einsatz genommen von: ${who}.`,
  itself: 'dem Programm selbst nach einem Training, wie Menschen es eingestellt hatten',
  noRelease: 'Eine frühere Fassung des Programms hat entschieden, die ihren Stand nicht festhielt.',
  known: 'Was über die Fehler des Programms bekannt war',
  wrong: (share, low, high, of) =>
    `Erprobt an ${of} Fällen, die es nicht kannte und selbst entscheiden sollte, lag es in ${share} falsch (mit 95 % Sicherheit zwischen ${low} und ${high}).`,
  unmeasured: 'Die Fehler waren nicht gemessen worden.',
  groupsTried: 'Geprüft wurde auch, ob Gruppen gleich behandelt werden.',
  groups: ({ by, option, least, most }) =>
    `Nach ${by} erhalten ${option}: am seltensten ${least}, am häufigsten ${most}.`,
  contest: 'Wenn Sie nicht einverstanden sind',
  howTo: (request) =>
    `Bitten Sie die Stelle, die Ihnen diese Entscheidung mitgeteilt hat, dass ein Mensch sie prüft, und nennen Sie diese Nummer: ${request}. Sagen Sie, was oben falsch ist oder fehlt. Ein Mensch kann die Entscheidung berichtigen.`,
  made: (at) => `Geschrieben am ${at}.`,
  join: ' und ',
  yes: 'ja',
  no: 'nein',
};

const fr: CaseWords = {
  title: 'À propos de cette décision',
  asked: 'La question',
  decided: (decision, at) => `Le ${at}, la réponse a été ${decision}.`,
  corrected: (decision) => `Une personne l’a corrigée depuis : la bonne réponse est ${decision}.`,
  why: 'Pourquoi',
  rule: (name) =>
    `Une règle fixe a décidé ; elle s’appelle ${name}. Les règles sont écrites par des personnes et passent avant tout le reste.`,
  ruleReads: 'La règle dit :',
  ruleIs: (tests, option) => `La réponse est ${option} si : ${tests}.`,
  conditions: {
    tests: {
      '==': 'est',
      '!=': 'n’est pas',
      '<': 'est inférieur à',
      '<=': 'est au plus',
      '>': 'est supérieur à',
      '>=': 'est au moins',
      in: 'est l’un de',
      'not in': 'n’est aucun de',
      'in list': 'est dans la liste',
      'not in list': 'n’est pas dans la liste',
      contains: 'contient',
      startsWith: 'commence par',
      endsWith: 'finit par',
      mentions: 'mentionne',
      is: 'est (en majuscules ou minuscules)',
      present: 'est indiqué',
      absent: 'manque',
      empty: 'est vide',
      filled: 'n’est pas vide',
    },
    and: ' et ',
    or: ' ou ',
  },
  classifier: (confidence) =>
    `Un programme qui a appris de cas antérieurs a décidé. Il jugeait cette réponse juste avec une probabilité de ${confidence}.`,
  fallback: (decision) =>
    `Le programme n’était pas assez sûr pour décider. Dans ce cas, la réponse est toujours ${decision}, fixée d’avance par des personnes.`,
  thought: (option, confidence) => `Il penchait pour ${option}, avec une probabilité de ${confidence}.`,
  notAsked: 'Aucune règle ne s’appliquait, et rien d’autre n’a été consulté.',
  model:
    'Le programme n’était pas assez sûr pour décider ; un modèle de langue a donc été interrogé et a choisi cette réponse.',
  unfamiliar: 'Le cas ne ressemblait pas à ceux dont le programme avait appris.',
  handedOn: 'Le cas a été signalé pour être examiné par une personne.',
  codes: (codes) => `Motif noté : ${codes}.`,
  causes: (option) => `Ce qui a le plus compté pour ${option}`,
  valueIs: ({ of, is }) => `${of} vaut ${is}`,
  wordsIn: (field, words) => `dans ${field}, les mots ${words}`,
  change: 'Ce qui aurait mené à une autre réponse',
  ifWere: (changes, decision) => `Si ${changes}, la réponse aurait été ${decision}.`,
  fieldWere: (field, to) => `${field} avait été ${to}`,
  fieldMissing: (field) => `${field} avait manqué`,
  withoutWords: (words, field) => `les mots ${words} n’avaient pas été dans ${field}`,
  noChange: 'Aucun petit changement des données fournies ne mène à une autre réponse.',
  unknownChange: 'On ne peut pas l’établir après coup, car une partie des données fournies n’est pas conservée.',
  looked: 'Qui l’a examinée',
  nobody: 'Personne n’a encore examiné cette décision : elle a été prise automatiquement.',
  someone: 'Une personne',
  lookedAt: (who, at, decision) => `${who} l’a examinée le ${at}. Résultat : la bonne réponse est ${decision}.`,
  input: 'Les données fournies',
  masked: 'personnel, non montré',
  release: 'Ce qui a décidé',
  releaseIs: (number, policy, at) => `La version ${number} avec la politique ${policy}, en service depuis le ${at}.`,
  releaseBy: (who) => `Mise en service par ${who}.`,
  itself: 'le programme lui-même après un apprentissage, comme des personnes l’avaient réglé',
  noRelease: 'Une version antérieure du programme a décidé, qui n’en gardait pas le numéro.',
  known: 'Ce que l’on savait des erreurs du programme',
  wrong: (share, low, high, of) =>
    `Essayé sur ${of} cas qu’il ne connaissait pas et devait décider seul, il s’est trompé dans ${share} (entre ${low} et ${high}, avec 95 % de certitude).`,
  unmeasured: 'Ses erreurs n’avaient pas été mesurées.',
  groupsTried: 'On a aussi vérifié si les groupes sont traités de la même façon.',
  groups: ({ by, option, least, most }) =>
    `Selon ${by}, ${option} est donné le moins souvent à ${least} et le plus souvent à ${most}.`,
  contest: 'Si vous n’êtes pas d’accord',
  howTo: (request) =>
    `Demandez à qui vous a fait part de cette décision qu’une personne l’examine, et indiquez ce numéro : ${request}. Dites ce qui est faux ou manque ci-dessus. Une personne peut corriger la décision.`,
  made: (at) => `Écrit le ${at}.`,
  join: ' et ',
  yes: 'oui',
  no: 'non',
};

const es: CaseWords = {
  title: 'Sobre esta decisión',
  asked: 'La pregunta',
  decided: (decision, at) => `El ${at} la respuesta fue ${decision}.`,
  corrected: (decision) => `Una persona la ha corregido desde entonces: la respuesta correcta es ${decision}.`,
  why: 'Por qué',
  rule: (name) =>
    `Decidió una regla fija, que se llama ${name}. Las reglas las escriben personas y van antes que todo lo demás.`,
  ruleReads: 'La regla dice:',
  ruleIs: (tests, option) => `La respuesta es ${option} si: ${tests}.`,
  conditions: {
    tests: {
      '==': 'es',
      '!=': 'no es',
      '<': 'es menor que',
      '<=': 'es como máximo',
      '>': 'es mayor que',
      '>=': 'es como mínimo',
      in: 'es uno de',
      'not in': 'no es ninguno de',
      'in list': 'está en la lista',
      'not in list': 'no está en la lista',
      contains: 'contiene',
      startsWith: 'empieza por',
      endsWith: 'termina en',
      mentions: 'menciona',
      is: 'es (en mayúsculas o minúsculas)',
      present: 'está indicado',
      absent: 'falta',
      empty: 'está vacío',
      filled: 'no está vacío',
    },
    and: ' y ',
    or: ' o ',
  },
  classifier: (confidence) =>
    `Decidió un programa que aprendió de casos anteriores. Consideró correcta esta respuesta con una probabilidad de ${confidence}.`,
  fallback: (decision) =>
    `El programa no estaba bastante seguro para decidir. En ese caso la respuesta es siempre ${decision}, fijada de antemano por personas.`,
  thought: (option, confidence) => `Se inclinaba por ${option}, con una probabilidad de ${confidence}.`,
  notAsked: 'Ninguna regla se aplicaba, y no se consultó nada más.',
  model:
    'El programa no estaba bastante seguro para decidir, así que se preguntó a un modelo de lenguaje, que eligió esta respuesta.',
  unfamiliar: 'El caso no se parecía a aquellos de los que aprendió el programa.',
  handedOn: 'El caso quedó marcado para que lo mire una persona.',
  codes: (codes) => `Motivo anotado: ${codes}.`,
  causes: (option) => `Lo que más pesó a favor de ${option}`,
  valueIs: ({ of, is }) => `${of} es ${is}`,
  wordsIn: (field, words) => `en ${field}, las palabras ${words}`,
  change: 'Lo que habría llevado a otra respuesta',
  ifWere: (changes, decision) => `Si ${changes}, la respuesta habría sido ${decision}.`,
  fieldWere: (field, to) => `${field} hubiera sido ${to}`,
  fieldMissing: (field) => `${field} hubiera faltado`,
  withoutWords: (words, field) => `las palabras ${words} no hubieran estado en ${field}`,
  noChange: 'Ningún cambio pequeño de los datos aportados lleva a otra respuesta.',
  unknownChange: 'No se puede averiguar después, porque parte de los datos aportados no se conserva.',
  looked: 'Quién la ha mirado',
  nobody: 'Nadie ha mirado esta decisión hasta ahora: se tomó de forma automática.',
  someone: 'Una persona',
  lookedAt: (who, at, decision) => `${who} la miró el ${at}. Resultado: la respuesta correcta es ${decision}.`,
  input: 'Los datos aportados',
  masked: 'personal, no se muestra',
  release: 'Qué decidió',
  releaseIs: (number, policy, at) => `La versión ${number} con la política ${policy}, en servicio desde el ${at}.`,
  releaseBy: (who) => `La puso en servicio ${who}.`,
  itself: 'el propio programa tras un entrenamiento, como lo habían ajustado personas',
  noRelease: 'Decidió una versión anterior del programa, que no anotaba su número.',
  known: 'Qué se sabía de los errores del programa',
  wrong: (share, low, high, of) =>
    `Probado en ${of} casos que no conocía y debía decidir solo, se equivocó en ${share} (entre ${low} y ${high}, con un 95 % de certeza).`,
  unmeasured: 'Sus errores no se habían medido.',
  groupsTried: 'También se comprobó si los grupos reciben el mismo trato.',
  groups: ({ by, option, least, most }) =>
    `Por ${by}, ${option} se da con menos frecuencia a ${least} y con más a ${most}.`,
  contest: 'Si no está de acuerdo',
  howTo: (request) =>
    `Pida a quien le comunicó esta decisión que la mire una persona, e indique este número: ${request}. Diga qué es falso o falta arriba. Una persona puede corregir la decisión.`,
  made: (at) => `Escrito el ${at}.`,
  join: ' y ',
  yes: 'sí',
  no: 'no',
};

export const caseWords: Readonly<Record<CaseLanguage, CaseWords>> = { en, de, fr, es };
