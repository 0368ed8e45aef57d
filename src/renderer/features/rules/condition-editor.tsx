import { Button, useComputedColorScheme } from '@mantine/core';
import * as monaco from 'monaco-editor/editor';
import 'monaco-editor/features/register.all';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import { useEffect, useRef } from 'react';
import { type Completion, findCompletions, findHover, formatCondition } from '../../../engine/rules/analysis/editor.ts';
import type { KnownField } from '../../../engine/rules/analysis/fields.ts';
import { ruleFunctions } from '../../../engine/rules/functions.ts';

declare global {
  // Monaco looks for its workers under this name.
  var MonacoEnvironment: monaco.Environment | undefined;
}

/** A finding shown in the text; `start` and `end` are offsets in UTF-16 units. */
export type Marker = { message: string; start: number; end: number; severity: 'error' | 'warning' | 'info' };

const language = 'cel';
const keywords = ['in', 'true', 'false', 'null'];
const macros = ['has', 'all', 'exists', 'exists_one', 'map', 'filter'];

function prepareMonaco(): void {
  globalThis.MonacoEnvironment ??= { getWorker: () => new EditorWorker() };
  if (monaco.languages.getLanguages().some(({ id }) => id === language)) return;
  monaco.languages.register({ id: language });
  monaco.languages.setLanguageConfiguration(language, {
    brackets: [
      ['(', ')'],
      ['[', ']'],
      ['{', '}'],
    ],
    autoClosingPairs: ['()', '[]', '{}', '""', "''"].map((pair) => ({ open: pair[0] ?? '', close: pair[1] ?? '' })),
  });
  monaco.languages.setMonarchTokensProvider(language, {
    keywords,
    functions: [...macros, ...ruleFunctions.keys()],
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
function paintEditors(isDark: boolean): void {
  const token = (name: string) => toLongHex(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  monaco.editor.defineTheme('workbench', {
    base: isDark ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [],
    colors: {
      'editor.background': token('--pane'),
      'editor.foreground': token('--text'),
      'editorCursor.foreground': token('--text'),
    },
  });
  monaco.editor.setTheme('workbench');
}

/** The editor of one rule condition: highlighting, completion, help on hover, formatting, findings in place. */
export function ConditionEditor({
  value,
  onValue,
  markers,
  fields,
  label,
}: {
  value: string;
  onValue(value: string): void;
  markers: readonly Marker[];
  fields: readonly KnownField[];
  label: string;
}) {
  const isDark = useComputedColorScheme('light') === 'dark';
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor | null>(null);
  const newest = useRef({ onValue, fields, value });
  /** Texts that were sent to the page and have not come back yet. */
  const sent = useRef<string[]>([]);
  useEffect(() => {
    newest.current = { onValue, fields, value };
  });

  useEffect(() => {
    if (!host.current) return;
    prepareMonaco();
    const made = monaco.editor.create(host.current, {
      value: newest.current.value,
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
      renderLineHighlight: 'none',
      scrollbar: { alwaysConsumeMouseWheel: false },
    });
    editor.current = made;
    const changed = made.onDidChangeModelContent(() => {
      const text = made.getValue();
      // A text that came from the page must not go back to it as an edit: it would end the page's own redo.
      if (text === (sent.current.at(-1) ?? newest.current.value)) return;
      sent.current.push(text);
      newest.current.onValue(text);
    });
    const completion = monaco.languages.registerCompletionItemProvider(language, {
      triggerCharacters: ['.'],
      provideCompletionItems: (model, position) => {
        if (model !== made.getModel()) return { suggestions: [] };
        const found = findCompletions(model.getValue(), model.getOffsetAt(position), newest.current.fields);
        const range = rangeIn(model, found.from, found.to);
        return { suggestions: found.items.map((item) => toSuggestion(item, range)) };
      },
    });
    const hover = monaco.languages.registerHoverProvider(language, {
      provideHover: (model, position) => {
        if (model !== made.getModel()) return null;
        const found = findHover(model.getValue(), model.getOffsetAt(position), newest.current.fields);
        if (!found) return null;
        const contents = [found.title, found.help].filter((text) => text !== '').map((value) => ({ value }));
        return { contents, range: rangeIn(model, found.from, found.to) };
      },
    });
    const formatting = monaco.languages.registerDocumentFormattingEditProvider(language, {
      provideDocumentFormattingEdits: (model) =>
        model === made.getModel()
          ? [{ range: model.getFullModelRange(), text: formatCondition(model.getValue()) }]
          : [],
    });
    return () => {
      changed.dispose();
      completion.dispose();
      hover.dispose();
      formatting.dispose();
      const model = made.getModel();
      made.dispose();
      model?.dispose();
      editor.current = null;
    };
  }, []);

  useEffect(() => paintEditors(isDark), [isDark]);

  useEffect(() => {
    editor.current?.updateOptions({ ariaLabel: label });
  }, [label]);

  useEffect(() => {
    const current = editor.current;
    const place = sent.current.indexOf(value);
    sent.current = sent.current.slice(place + 1);
    // While typing is ahead of the page, what comes back is an older text of the editor itself.
    if (!current || place >= 0 || current.getValue() === value) return;
    sent.current = [];
    const cursor = current.getPosition();
    current.setValue(value);
    if (cursor) current.setPosition(cursor);
  }, [value]);

  useEffect(() => {
    const model = editor.current?.getModel();
    if (!model) return;
    monaco.editor.setModelMarkers(
      model,
      'rules',
      markers.map(({ message, start, end, severity }) => ({
        severity: severities[severity],
        message,
        ...rangeIn(model, start, Math.max(end, start + 1)),
      })),
    );
  }, [markers]);

  return (
    <>
      <div ref={host} className="editor" />
      <div>
        <Button
          size="compact-xs"
          variant="default"
          title="Shift+Alt+F in the editor"
          onClick={() => editor.current?.getAction('editor.action.formatDocument')?.run()}
        >
          Format
        </Button>
      </div>
    </>
  );
}

const severities = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
} as const;

const kinds = {
  field: monaco.languages.CompletionItemKind.Field,
  function: monaco.languages.CompletionItemKind.Function,
  macro: monaco.languages.CompletionItemKind.Keyword,
  value: monaco.languages.CompletionItemKind.Value,
} as const;

function rangeIn(model: monaco.editor.ITextModel, start: number, end: number): monaco.IRange {
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
    label: item.label,
    kind: kinds[item.kind],
    insertText: item.insert,
    detail: item.detail,
    documentation: item.help,
    range,
  };
}
