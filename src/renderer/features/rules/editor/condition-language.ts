/** The rules language as Monaco knows it: its words, colours, completion, help and formatting. */
import * as monaco from 'monaco-editor/editor';
import 'monaco-editor/features/register.all';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import type { NamedLists } from '../../../../engine/domain.ts';
import {
  type Completion,
  findCompletions,
  findHover,
  formatCondition,
} from '../../../../engine/rules/analysis/editor.ts';
import type { KnownField } from '../../../../engine/rules/analysis/fields.ts';
import { ruleFunctions } from '../../../../engine/rules/functions.ts';
import { macros } from '../../../../engine/rules/tree.ts';
import { showUnseen } from '../../../parts/text/names.ts';

declare global {
  // Monaco looks for its workers under this name.
  var MonacoEnvironment: monaco.Environment | undefined;
}

const language = 'cel';
const keywords = ['in', 'true', 'false', 'null'];

function prepareMonaco(): void {
  globalThis.MonacoEnvironment ??= { getWorker: () => new EditorWorker() };
  if (monaco.languages.getLanguages().some(({ id }) => id === language)) return;
  monaco.languages.register({ id: language });
  monaco.languages.setLanguageConfiguration(language, {
    // A number is not a word: the completion of a value would stand still at the one in "Route 2".
    wordPattern: /[\p{L}_][\p{L}\p{N}_]*/gu,
    brackets: [
      ['(', ')'],
      ['[', ']'],
      ['{', '}'],
    ],
    autoClosingPairs: ['()', '[]', '{}', '""', "''"].map((pair) => ({
      open: pair[0] ?? '',
      close: pair[1] ?? '',
      notIn: ['string'],
    })),
  });
  monaco.languages.setMonarchTokensProvider(language, {
    keywords,
    functions: ['has', ...macros, ...ruleFunctions.keys()],
    tokenizer: {
      root: [
        [/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/, 'string'],
        [/\d+(\.\d+)?([eE][+-]?\d+)?/, 'number'],
        [/[a-zA-Z_]\w*/, { cases: { '@keywords': 'keyword', '@functions': 'type', '@default': 'identifier' } }],
        [/[+\-*/%<>=!&|?:]+/, 'operator'],
      ],
    },
  });
}

/** `#fff` as `#ffffff`: style sheets are shortened when they are built, and Monaco reads only the long form. */
function toLongHex(colour: string): string {
  return /^#[0-9a-f]{3}$/i.test(colour) ? `#${[...colour.slice(1)].map((digit) => digit + digit).join('')}` : colour;
}

/** Paints the editors in the colours of the page; its tokens are the only place where a colour is chosen. */
export function paintEditors(isDark: boolean): void {
  const token = (name: string) => toLongHex(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  monaco.editor.defineTheme('workbench', {
    base: isDark ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [],
    colors: {
      'editor.background': token('--pane'),
      'editor.foreground': token('--text'),
      'editorCursor.foreground': token('--text'),
      'editorWidget.background': token('--pane'),
      'editorWidget.foreground': token('--text'),
      'editorWidget.border': token('--line-soft'),
      'list.activeSelectionBackground': token('--chosen'),
      'list.activeSelectionForeground': token('--text'),
      'list.hoverBackground': token('--hover'),
      'list.highlightForeground': token('--accent'),
      'list.focusHighlightForeground': token('--accent'),
      foreground: token('--text'),
      descriptionForeground: token('--muted'),
      'textLink.foreground': token('--accent'),
      'editorHoverWidget.statusBarBackground': token('--sub'),
      // Of what Monaco brings, the mark of a warning is too faint on white.
      'editorError.foreground': token('--bad'),
      'editorWarning.foreground': token('--warn'),
      'editorInfo.foreground': token('--accent'),
    },
  });
  monaco.editor.setTheme('workbench');
}

/** Makes an editor of one condition in its host. */
export function createEditor(host: HTMLElement, value: string): monaco.editor.IStandaloneCodeEditor {
  prepareMonaco();
  return monaco.editor.create(host, {
    value,
    language,
    minimap: { enabled: false },
    lineNumbers: 'off',
    glyphMargin: false,
    folding: false,
    lineDecorationsWidth: 8,
    scrollBeyondLastLine: false,
    wordWrap: 'on',
    fontSize: 13,
    automaticLayout: true,
    fixedOverflowWidgets: true,
    // Tab leaves the editor, as everywhere else on the page.
    tabFocusMode: true,
    padding: { top: 8, bottom: 8 },
    overviewRulerLanes: 0,
    wordBasedSuggestions: 'off',
    quickSuggestions: { other: true, strings: true, comments: false },
    renderLineHighlight: 'none',
    scrollbar: { alwaysConsumeMouseWheel: false },
  });
}

/**
 * Offers completion, help on hover and formatting in one editor, over the fields and lists that are known when they
 * are asked for.
 */
export function offerHelp(
  made: monaco.editor.IStandaloneCodeEditor,
  readNames: () => { fields: readonly KnownField[]; lists: NamedLists },
): monaco.IDisposable[] {
  const completion = monaco.languages.registerCompletionItemProvider(language, {
    triggerCharacters: ['.', '"', "'"],
    provideCompletionItems: (model, position) => {
      if (model !== made.getModel()) return { suggestions: [] };
      const { fields, lists } = readNames();
      const found = findCompletions(model.getValue(), model.getOffsetAt(position), fields, lists);
      const range = rangeIn(model, found.from, found.to);
      return {
        suggestions: found.items.map((item, place) => ({
          ...toSuggestion(item, range),
          filterText: found.lead + item.label,
          sortText: String(place).padStart(5, '0'),
        })),
      };
    },
  });
  const hover = monaco.languages.registerHoverProvider(language, {
    provideHover: (model, position) => {
      if (model !== made.getModel()) return null;
      const found = findHover(model.getValue(), model.getOffsetAt(position), readNames().fields);
      if (!found) return null;
      const contents = [found.title, found.help].filter((text) => text !== '').map((value) => ({ value }));
      return { contents, range: rangeIn(model, found.from, found.to) };
    },
  });
  const formatting = monaco.languages.registerDocumentFormattingEditProvider(language, {
    provideDocumentFormattingEdits: (model) =>
      model === made.getModel() ? [{ range: model.getFullModelRange(), text: formatCondition(model.getValue()) }] : [],
  });
  return [completion, hover, formatting];
}

const kinds = {
  field: monaco.languages.CompletionItemKind.Field,
  function: monaco.languages.CompletionItemKind.Function,
  macro: monaco.languages.CompletionItemKind.Keyword,
  value: monaco.languages.CompletionItemKind.Value,
} as const;

/** The range of a text between two offsets in UTF-16 units, as Monaco counts it. */
export function rangeIn(model: monaco.editor.ITextModel, start: number, end: number): monaco.IRange {
  const from = model.getPositionAt(start);
  const to = model.getPositionAt(end);
  return {
    startLineNumber: from.lineNumber,
    startColumn: from.column,
    endLineNumber: to.lineNumber,
    endColumn: to.column,
  };
}

function toSuggestion(item: Completion, range: monaco.IRange): monaco.languages.CompletionItem {
  return {
    label: { label: showUnseen(item.label), description: item.detail },
    kind: kinds[item.kind],
    insertText: item.insert,
    documentation: item.help,
    range,
  };
}
