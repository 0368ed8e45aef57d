/** Reads TypeScript sources and finds messages for people that are not written in the one voice of the program. */
import ts from 'typescript';

export type VoiceProblem = { place: string; text: string; problem: string };
export type SourceText = { path: string; text: string };

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
  const files = sources.map(({ path, text }) =>
    ts.createSourceFile(
      path,
      text,
      ts.ScriptTarget.Latest,
      true,
      path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    ),
  );
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
  if (written !== null) {
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
