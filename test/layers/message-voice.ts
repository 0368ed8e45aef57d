/** Reads sources and finds messages, comments and names that are not written in the one voice of the program. */
import ts from 'typescript';

export type VoiceProblem = { place: string; text: string; problem: string };
export type SourceText = { path: string; text: string };

/** Phrases that a native speaker does not write, with what is written instead; documents do without them, too. */
export const translatedWords: readonly [RegExp, string][] = [
  [/\bof now\b/i, 'current'],
  [/\banew\b/i, 'again'],
  [/\bby chance\b|\b(?:stream|source|order)s? of chance\b/i, 'at random'],
  [/\bleft away\b/i, 'omitted'],
  [/\bwhat of (?:a|an|the|its?|them|which)\b/i, 'parts of'],
  [/\bworked off\b/i, 'handled'],
  [/\bof before\b/i, 'former'],
  [/\b(?:at least|at most|from|below|by) so many\b/i, 'this many'],
];

/** Words that no text for people contains, with what is written instead. */
const bannedWords: readonly [RegExp, string][] = [
  [/\blive model/i, 'connected model'],
  [/\bmade small\b/i, 'lower-cased'],
  [/\bin its brackets\b/i, 'argument list'],
  [/\b(?:errs|erred)\b/i, 'fails, failed'],
  [/\bby heart\b/i, 'memorised'],
  [/\bwished\b/i, 'target'],
  [/\bsigns? of life\b/i, 'heartbeat'],
  [/\bsurest\b/i, 'most confident'],
  [/\b(?:mends?|mended)\b/i, 'fix, correct'],
  [/\bfares?\b/i, 'outcome'],
  [/\bstrange\b/i, 'unfamiliar'],
  [/\btold\b/i, 'reported, stated'],
  [/\bteacher models?\b/i, 'model connection, teacher'],
  ...translatedWords,
];

/** Stands for an interpolation, whose text is not known. */
const hole = '\u25a1';

/** Which argument of a call or of a `new` expression is the message, by the name that is called. */
type MessagePositions = ReadonlyMap<string, number>;

/**
 * Finds texts that break the voice: messages of errors that are no whole sentences, `msg` fragments that end like
 * sentences, and banned words. The errors' classes and the functions that make them are found in the sources.
 */
export function findVoiceProblems(sources: readonly SourceText[]): VoiceProblem[] {
  const files = sources.map(parse);
  const positions = new Map(files.flatMap(listErrorClasses));
  const problems: VoiceProblem[] = [];
  for (const file of files) {
    const ofFile = new Map([...positions, ...listErrorMakers(file, positions)]);
    visit(file, (node) => {
      for (const [text, problem] of findProblemsAt(node, ofFile)) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        problems.push({ place: `${file.fileName}:${line + 1}`, text, problem });
      }
    });
  }
  return problems;
}

function parse({ path, text }: SourceText): ts.SourceFile {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  node.forEachChild((child) => visit(child, look));
}

/** Classes whose name ends in `Error`, with the place of their parameter `message`. */
function listErrorClasses(file: ts.SourceFile): [string, number][] {
  const found: [string, number][] = [];
  visit(file, (node) => {
    if (!ts.isClassDeclaration(node) || !node.name?.text.endsWith('Error')) return;
    const made = node.members.find(ts.isConstructorDeclaration);
    const at = made?.parameters.findIndex(({ name }) => name.getText() === 'message') ?? -1;
    if (at >= 0) found.push([node.name.text, at]);
  });
  return found;
}

/** Functions of a file that hand one of their parameters on as the message of an error. */
function listErrorMakers(file: ts.SourceFile, errors: MessagePositions): [string, number][] {
  const found: [string, number][] = [];
  visit(file, (node) => {
    if (!ts.isNewExpression(node)) return;
    const message = node.arguments?.[errors.get(node.expression.getText()) ?? -1];
    if (message === undefined || !ts.isIdentifier(message)) return;
    const maker = ts.findAncestor(node, ts.isFunctionLike);
    const at = maker?.parameters.findIndex(({ name }) => name.getText() === message.text) ?? -1;
    const name = maker?.name ?? (maker && ts.isVariableDeclaration(maker.parent) ? maker.parent.name : undefined);
    if (at >= 0 && name !== undefined && ts.isIdentifier(name)) found.push([name.text, at]);
  });
  return found;
}

function findProblemsAt(node: ts.Node, positions: MessagePositions): [text: string, problem: string][] {
  const problems: [string, string][] = [];
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    const message = node.arguments?.[positions.get(node.expression.getText()) ?? -1];
    for (const text of message === undefined ? [] : listTexts(message)) {
      if (!startsLikeSentence(text)) problems.push([text, 'a message starts with a capital letter']);
      if (!endsLikeSentence(text)) problems.push([text, 'a message ends with a full stop']);
    }
  }
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'msg') {
    for (const text of listTexts(node.initializer)) {
      if (text.endsWith('.') && !startsLikeSentence(text))
        problems.push([text, 'a msg is a fragment without full stop']);
    }
  }
  const written = toWrittenText(node);
  if (written !== null && anyBannedWord.test(written)) {
    for (const [word, instead] of bannedWords) {
      const line = written.split('\n').find((each) => word.test(each));
      if (line !== undefined) problems.push([line.trim(), `write: ${instead}`]);
    }
  }
  return problems;
}

/** Every text that an expression may be, as far as it is written in place; holes stand for the rest. */
function listTexts(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map(({ literal }) => hole + literal.text).join('')];
  }
  if (ts.isParenthesizedExpression(node)) return listTexts(node.expression);
  if (ts.isConditionalExpression(node)) return [...listTexts(node.whenTrue), ...listTexts(node.whenFalse)];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [listTexts(node.left), listTexts(node.right)];
    const [lefts, rights] = [left.length > 0 ? left : [hole], right.length > 0 ? right : [hole]];
    return lefts.flatMap((start) => rights.map((end) => start + end));
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
    return [...listTexts(node.left), ...listTexts(node.right)];
  }
  return [];
}

/** Quotes before the first letter do not count; a name in lower case may be quoted. */
const startsLikeSentence = (text: string) => /^[\p{Lu}\d"“«'`\u25a1]/u.test(text);
const endsLikeSentence = (text: string) => /[.…?\u25a1]["”»'`)]?$/u.test(text);

/** The text of a literal that people may read; null for other nodes, for import paths and for names of properties. */
function toWrittenText(node: ts.Node): string | null {
  if (ts.isJsxText(node)) return node.text;
  if (ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) return node.text;
  if (!ts.isStringLiteralLike(node)) return null;
  const { parent } = node;
  const isName = ts.isImportDeclaration(parent) || ts.isLiteralTypeNode(parent) || ts.isElementAccessExpression(parent);
  return isName ? null : node.text;
}

const maxColumns = 120;

/** Openings of a comment that name neither a thing nor an act, and grammar that a native speaker does not use. */
const openings: readonly [RegExp, string][] = [
  [/^Of (?:an?|the|each)\b/, 'begin with the thing, not with “Of”'],
  [/(?<!\bthere )\b(?:is|are) none\b/, 'write: is not one'],
  [/\bsays? of\b[^.]*\bthat\b/i, 'write: notes, warns'],
  [/, too(?:[.;)]|$)/, 'write: as well'],
  [/^What(?:ever)?\b/, 'a comment begins with a noun or a verb'],
  [/^Has (?:the|a|an)\b[^.]*?\b\w+ed\b/, 'write what is done, not what somebody has done'],
  [/(?:^|[.:;] )Whoever\b/, 'name who it is'],
];

/** All of them in one look, as nearly every text has none. */
const anyBannedWord = new RegExp(bannedWords.map(([word]) => word.source).join('|'), 'i');

const sayWords = (text: string): [text: string, problem: string][] =>
  anyBannedWord.test(text)
    ? bannedWords.flatMap(([word, instead]) => (word.test(text) ? [[text, `write: ${instead}`]] : []))
    : [];

/** A name as its words: `isLeftOut` and `is_left_out` are `is left out`. */
const toWords = (name: string) => name.replace(/(?<=[a-z\d])(?=[A-Z])|_/g, ' ').toLowerCase();

/**
 * Finds breaches in the comments and names of TypeScript sources, and sources that do not open with a sentence: above
 * everything, or above the first thing that they declare or export.
 */
export function findCommentProblems(sources: readonly SourceText[]): VoiceProblem[] {
  return sources.flatMap((source) => {
    const file = parse(source);
    const { text } = source;
    const problems: VoiceProblem[] = [];
    const seen = new Set<number>();
    const report = (at: number, found: [text: string, problem: string][]) => {
      const { line } = file.getLineAndCharacterOfPosition(at);
      for (const [of, problem] of found) problems.push({ place: `${source.path}:${line + 1}`, text: of, problem });
    };
    visit(file, (node) => {
      if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) report(node.getStart(), sayWords(toWords(node.text)));
      for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
        if (seen.has(pos)) continue;
        seen.add(pos);
        const comment = text.slice(pos, end);
        const long = comment.split('\n').filter((line) => line.length > maxColumns && !line.includes('biome-ignore'));
        report(pos, [...sayComment(toSentences(comment)), ...long.map(sayLong)]);
      }
    });
    for (const statement of file.statements) {
      const isBare = isExportedFunction(statement) && !hasDoc(text, statement);
      if (isBare)
        report(statement.getStart(), [
          [statement.getText().split('\n')[0] ?? '', 'an exported function says what it promises'],
        ]);
    }
    const first = file.statements.find((statement) => !ts.isImportDeclaration(statement));
    const exported = file.statements.find((statement) => /^export\b/.test(statement.getText()));
    const opens = [file, first, exported].some((node) => node && ts.getLeadingCommentRanges(text, node.getFullStart()));
    if (!opens) report(0, [[source.path, 'a file opens with a sentence']]);
    return problems;
  });
}

/** Finds breaches in Python sources: of comments and docstrings, names, and how a module opens. */
export function findPythonProblems(sources: readonly SourceText[]): VoiceProblem[] {
  return sources.flatMap(({ path, text }) => {
    const found = text.split('\n').flatMap((line, index) => {
      const [, doc] = /^\s*(?:"""|# )(.*)/.exec(line) ?? [];
      const ofLine = doc === undefined ? sayWords(toWords(line)) : sayComment(doc);
      return ofLine.map(([of, problem]) => ({ place: `${path}:${index + 1}`, text: of, problem }));
    });
    const opens = /^(?:"""|# )/.test(text);
    return opens ? found : [...found, { place: `${path}:1`, text: path, problem: 'a file opens with a sentence' }];
  });
}

const sayLong = (line: string): [string, string] => [line.trim(), `a comment has at most ${maxColumns} columns`];

function sayComment(sentences: string): [text: string, problem: string][] {
  const broken = openings.filter(([opening]) => opening.test(sentences));
  return [...broken.map(([, problem]): [string, string] => [sentences, problem]), ...sayWords(sentences)];
}

const toSentences = (comment: string) =>
  comment
    .replace(/^\/\*\*?|\*\/$|^\s*\* ?|^\/\/ ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();

const isExportedFunction = (node: ts.Statement) =>
  /^export\b/.test(node.getText()) && !/^export default\b/.test(node.getText()) && isFunction(node);

const hasDoc = (text: string, node: ts.Node) =>
  (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).some(({ pos }) => text.startsWith('/**', pos));

const isFunction = (node: ts.Node) =>
  ts.isFunctionLike(node) ||
  (ts.isVariableStatement(node) &&
    node.declarationList.declarations.some(({ initializer }) => initializer && ts.isFunctionLike(initializer)));
