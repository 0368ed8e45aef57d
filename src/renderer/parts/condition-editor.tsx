import * as monaco from 'monaco-editor/editor';
import 'monaco-editor/features/register.all';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import { useEffect, useRef } from 'react';

declare global {
  // Monaco looks for its workers under this name.
  var MonacoEnvironment: monaco.Environment | undefined;
}

/** A finding shown in the text; `start` and `end` are offsets in UTF-16 units. */
export type Marker = { message: string; start: number; end: number };

const language = 'cel';
const keywords = ['in', 'true', 'false', 'null'];
const functions = [
  'has', 'all', 'exists', 'exists_one', 'map', 'filter', 'size', 'contains', 'startsWith', 'endsWith', 'matches',
  'lowerAscii', 'upperAscii', 'trim', 'int', 'double', 'string', 'bool', 'abs', 'ceil', 'floor', 'round', 'min', 'max',
  'timestamp', 'duration', 'getFullYear', 'getMonth', 'getDate', 'getDayOfWeek', 'getHours',
]; // biome-ignore format: a list of names reads better in lines

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
    functions,
    tokenizer: {
      root: [
        [/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/, 'string'],
        [/\d+(\.\d+)?([eE][+-]?\d+)?/, 'number'],
        [/[a-zA-Z_]\w*/, { cases: { '@keywords': 'keyword', '@functions': 'type', '@default': 'identifier' } }],
        [/[+\-*/%<>=!&|?:]+/, 'operator'],
      ],
    },
  });
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const paint = () => monaco.editor.setTheme(dark.matches ? 'vs-dark' : 'vs');
  dark.addEventListener('change', paint);
  paint();
}

/** The editor of one rule condition: highlighting, completion of functions and fields, findings in place. */
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
  fields: readonly string[];
  label: string;
}) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<monaco.editor.IStandaloneCodeEditor | null>(null);
  const newest = useRef({ onValue, fields, value });
  useEffect(() => {
    newest.current = { onValue, fields, value };
  });

  useEffect(() => {
    if (!host.current) return;
    prepareMonaco();
    const made = monaco.editor.create(host.current, {
      value: newest.current.value,
      language,
      ariaLabel: label,
      minimap: { enabled: false },
      lineNumbers: 'off',
      glyphMargin: false,
      folding: false,
      lineDecorationsWidth: 8,
      scrollBeyondLastLine: false,
      wordWrap: 'on',
      fontSize: 14,
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
    const changed = made.onDidChangeModelContent(() => newest.current.onValue(made.getValue()));
    const completion = monaco.languages.registerCompletionItemProvider(language, {
      triggerCharacters: ['.'],
      provideCompletionItems: (model, position) => {
        if (model !== made.getModel()) return { suggestions: [] };
        return { suggestions: suggestionsAt(model, position, newest.current.fields) };
      },
    });
    return () => {
      changed.dispose();
      completion.dispose();
      const model = made.getModel();
      made.dispose();
      model?.dispose();
      editor.current = null;
    };
  }, [label]);

  useEffect(() => {
    const current = editor.current;
    if (current && current.getValue() !== value) current.setValue(value);
  }, [value]);

  useEffect(() => {
    const model = editor.current?.getModel();
    if (!model) return;
    monaco.editor.setModelMarkers(
      model,
      'rules',
      markers.map(({ message, start, end }) => {
        const from = model.getPositionAt(start);
        const to = model.getPositionAt(Math.max(end, start + 1));
        return {
          severity: monaco.MarkerSeverity.Error,
          message,
          startLineNumber: from.lineNumber,
          startColumn: from.column,
          endLineNumber: to.lineNumber,
          endColumn: to.column,
        };
      }),
    );
  }, [markers]);

  return <div ref={host} className="editor" />;
}

function suggestionsAt(
  model: monaco.editor.ITextModel,
  position: monaco.Position,
  fields: readonly string[],
): monaco.languages.CompletionItem[] {
  const line = model.getLineContent(position.lineNumber).slice(0, position.column - 1);
  const path = /ctx\.([\w.]*)$/.exec(line)?.[1];
  const word = model.getWordUntilPosition(position);
  const rangeOf = (startColumn: number) => ({
    startLineNumber: position.lineNumber,
    endLineNumber: position.lineNumber,
    startColumn,
    endColumn: position.column,
  });
  if (path !== undefined) {
    return fields.map((field) => ({
      label: field,
      insertText: field,
      kind: monaco.languages.CompletionItemKind.Field,
      range: rangeOf(position.column - path.length),
    }));
  }
  return [
    {
      label: 'ctx',
      insertText: 'ctx.',
      kind: monaco.languages.CompletionItemKind.Variable,
      range: rangeOf(word.startColumn),
    },
    ...functions.map((name) => ({
      label: name,
      insertText: name,
      kind: monaco.languages.CompletionItemKind.Function,
      range: rangeOf(word.startColumn),
    })),
  ];
}
