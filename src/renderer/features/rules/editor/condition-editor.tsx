import { Button, useComputedColorScheme } from '@mantine/core';
import * as monaco from 'monaco-editor/editor';
import { useEffect, useRef } from 'react';
import type { NamedLists } from '../../../../engine/domain.ts';
import type { KnownField } from '../../../../engine/rules/analysis/fields.ts';
import { createEditor, offerHelp, paintEditors, rangeIn } from './condition-language.ts';

/** A finding shown in the text; `start` and `end` are offsets in UTF-16 units. */
type Marker = { message: string; start: number; end: number; severity: 'error' | 'warning' | 'info' };

const severities = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
} as const;

type ConditionProps = {
  value: string;
  onValue(value: string): void;
  markers: readonly Marker[];
  fields: readonly KnownField[];
  lists: NamedLists;
  label: string;
};

/** Keeps an editor in its host, with the text, the findings and the look of the page; the texts go both ways. */
function useEditor({ value, onValue, markers, fields, lists, label }: ConditionProps) {
  const host = useRef<HTMLDivElement>(null);
  const isDark = useComputedColorScheme('light') === 'dark';
  const editor = useRef<monaco.editor.IStandaloneCodeEditor | null>(null);
  const newest = useRef({ onValue, fields, lists, value });
  /** Texts that were sent to the page and have not come back yet. */
  const sent = useRef<string[]>([]);
  useEffect(() => {
    newest.current = { onValue, fields, lists, value };
  });

  useEffect(() => {
    if (!host.current) return;
    const made = createEditor(host.current, newest.current.value);
    editor.current = made;
    const changed = made.onDidChangeModelContent(() => {
      const text = made.getValue();
      // A text that came from the page must not go back to it as an edit: it would end the page's own redo.
      if (text === (sent.current.at(-1) ?? newest.current.value)) return;
      sent.current.push(text);
      newest.current.onValue(text);
    });
    const help = offerHelp(made, () => newest.current);
    return () => {
      changed.dispose();
      for (const offer of help) offer.dispose();
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
  return { host, editor };
}

/** The editor of one rule condition: highlighting, completion, help on hover, formatting, findings in place. */
export function ConditionEditor(props: ConditionProps) {
  const { host, editor } = useEditor(props);
  return (
    <>
      <div ref={host} className="editor" />
      <div>
        <Button
          size="compact-xs"
          title="Shift+Alt+F in the editor"
          onClick={() => editor.current?.getAction('editor.action.formatDocument')?.run()}
        >
          Format
        </Button>
      </div>
    </>
  );
}
