/** The editor of one condition, a CodeMirror that is kept in step with the page. */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Annotation, Transaction } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { formatCondition } from '../../../../engine/rules/analysis/editor.ts';
import { type KnownNames, offerLanguage } from './condition-language.ts';

/** A finding shown in the text; `start` and `end` are offsets in UTF-16 units. */
type Marker = { message: string; start: number; end: number; severity: 'error' | 'warning' | 'info' };

type ConditionProps = KnownNames & {
  value: string;
  onValue(value: string): void;
  /** Escape, and the button beside Format. */
  onDone(): void;
  markers: readonly Marker[];
  label: string;
};

/** Marks a text that came from the page: it must not go back to it as an edit, which would end the page's own redo. */
const fromPage = Annotation.define<true>();

function format(view: EditorView): boolean {
  const old = view.state.doc.toString();
  const insert = formatCondition(old);
  if (insert !== old) view.dispatch({ changes: { from: 0, to: old.length, insert } });
  return true;
}

/** Keeps an editor in its host, with the text and the findings of the page; the texts go both ways. */
function useEditor({ value, onValue, onDone, markers, fields, lists, label }: ConditionProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const newest = useRef({ onValue, onDone, fields, lists, value, label });
  /** Texts that were sent to the page and have not come back yet. */
  const sent = useRef<string[]>([]);
  useEffect(() => {
    newest.current = { onValue, onDone, fields, lists, value, label };
  });

  useEffect(() => {
    if (!host.current) return;
    const leave = () => {
      newest.current.onDone();
      return true;
    };
    const made = new EditorView({
      parent: host.current,
      doc: newest.current.value,
      extensions: [
        offerLanguage(() => newest.current),
        history(),
        closeBrackets(),
        bracketMatching(),
        highlightSpecialChars(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of(() => ({ 'aria-label': newest.current.label })),
        keymap.of([
          { key: 'Shift-Alt-f', run: format },
          ...closeBracketsKeymap,
          ...historyKeymap,
          ...defaultKeymap.filter(({ key }) => key !== 'Escape'),
          { key: 'Escape', run: leave },
        ]),
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (!docChanged || transactions.some((each) => each.annotation(fromPage))) return;
          const text = state.doc.toString();
          sent.current.push(text);
          newest.current.onValue(text);
        }),
      ],
    });
    made.focus();
    host.current.scrollIntoView({ block: 'nearest' });
    editor.current = made;
    return () => {
      made.destroy();
      editor.current = null;
    };
  }, []);

  useEffect(() => {
    const view = editor.current;
    const place = sent.current.indexOf(value);
    sent.current = sent.current.slice(place + 1);
    // While typing is ahead of the page, what comes back is an older text of the editor itself.
    if (!view || place >= 0 || view.state.doc.toString() === value) return;
    sent.current = [];
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: value },
      selection: { anchor: Math.min(view.state.selection.main.head, value.length) },
      annotations: [fromPage.of(true), Transaction.addToHistory.of(false)],
    });
  }, [value]);

  useEffect(() => {
    const view = editor.current;
    if (!view) return;
    const end = view.state.doc.length;
    const found = markers.map(({ start, end: to, ...rest }) => {
      const from = Math.min(start, Math.max(0, end - 1));
      return { ...rest, from, to: Math.min(end, Math.max(to, from + 1)) };
    });
    view.dispatch(setDiagnostics(view.state, found));
  }, [markers]);
  return { host, editor };
}

/** The editor of one rule condition: highlighting, completion, help on hover, formatting, findings in place. */
export function ConditionEditor(props: ConditionProps) {
  const { host, editor } = useEditor(props);
  return (
    <>
      <div ref={host} className="editor" />
      <div className="row">
        <Button
          size="compact-xs"
          title="Shift+Alt+F in the editor"
          onClick={() => editor.current && format(editor.current)}
        >
          Format
        </Button>
        <Button size="compact-xs" title="Escape in the editor" onClick={props.onDone}>
          Done
        </Button>
      </div>
    </>
  );
}
