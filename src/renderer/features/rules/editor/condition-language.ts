/** The rules language as the editor knows it: its words and colours, completion, help and formatting. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  insertCompletionText,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView, hoverTooltip } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { NamedLists } from '../../../../engine/domain/definition.ts';
import { findCompletions, findHover } from '../../../../engine/rules/analysis/editor.ts';
import type { KnownField } from '../../../../engine/rules/analysis/fields.ts';
import { ruleFunctions } from '../../../../engine/rules/functions.ts';
import { macros } from '../../../../engine/rules/tree.ts';
import { showUnseen } from '../../../parts/text/names.ts';

export type KnownNames = { fields: readonly KnownField[]; lists: NamedLists };

const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);
const functions: ReadonlySet<string> = new Set(['has', ...macros, ...ruleFunctions.keys()]);

const language = StreamLanguage.define({
  token: (stream) => {
    if (stream.eatSpace()) return null;
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)) return 'string';
    if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return 'number';
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)) {
      const word = stream.current();
      if (keywords.has(word)) return 'keyword';
      return functions.has(word) ? 'typeName' : 'variableName';
    }
    stream.next();
    return 'operator';
  },
  languageData: { closeBrackets: { brackets: ['(', '[', '{', '"', "'"] } },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)' },
  { tag: tags.typeName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--good)' },
  { tag: tags.variableName, color: 'var(--text)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--pane)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--text)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--pane)',
    color: 'var(--text)',
    border: '1px solid var(--line-soft)',
    maxWidth: 'min(30rem, 90vw)',
    overflowWrap: 'anywhere',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--chosen)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--muted)' },
  '.cm-help': { padding: '0.25rem 0.5rem' },
  '.cm-lintRange': { backgroundImage: 'none', textDecoration: 'underline wavy', textDecorationSkipInk: 'none' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--bad)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--warn)' },
  '.cm-lintRange-info': { textDecorationColor: 'var(--accent)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--accent)' },
});

/** A text that the completions found for its beginning still fit. */
const sameWord = /^(?:\.?[\p{L}\p{N}_]*|"[^"]*|'[^']*)$/u;

/** The language with the look of the page, and help with the names that are known when it is asked for. */
export function offerLanguage(readNames: () => KnownNames): Extension {
  return [
    language,
    syntaxHighlighting(colours),
    look,
    // Enter takes what is shown, however soon: by default it would begin a line within 75 ms.
    autocompletion({ override: [(context) => complete(context, readNames())], icons: false, interactionDelay: 0 }),
    hoverTooltip((view, offset) => {
      const found = findHover(view.state.doc.toString(), offset, readNames().fields);
      if (!found) return null;
      return { pos: found.from, end: found.to, above: true, create: () => ({ dom: drawHelp(found) }) };
    }),
  ];
}

function complete({ state, pos, explicit }: CompletionContext, { fields, lists }: KnownNames): CompletionResult | null {
  const { from, to, lead, items } = findCompletions(state.doc.toString(), pos, fields, lists);
  // Between words nothing opens by itself: Enter there ends the line.
  if (items.length === 0 || (from === pos && !explicit)) return null;
  // The text replaced behind the cursor is no part of what finds an item.
  const behind = to - pos;
  const options = items.map(
    (item, place): Completion => ({
      label: lead + item.label,
      displayLabel: showUnseen(item.label),
      detail: item.detail,
      apply: (view, picked, start, end) =>
        view.dispatch({
          ...insertCompletionText(view.state, item.insert, start, end + behind),
          annotations: pickedCompletion.of(picked),
        }),
      sortText: String(place).padStart(5, '0'),
      ...(item.help === '' ? {} : { info: item.help }),
    }),
  );
  return { from, options, validFor: sameWord };
}

function drawHelp({ title, help }: { title: string; help: string }): HTMLElement {
  const dom = document.createElement('div');
  dom.className = 'cm-help';
  for (const text of [title, help]) {
    if (text === '') continue;
    dom.appendChild(document.createElement('div')).textContent = showUnseen(text);
  }
  return dom;
}
