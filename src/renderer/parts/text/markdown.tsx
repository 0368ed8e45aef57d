/** Texts that people write with a few marks of Markdown: headings, lists, **strong**, *stressed* and `code`. */
import { createElement, type ReactNode } from 'react';
import { showUnseen } from './names.ts';

const marks = /\*\*(?<strong>[^*]+)\*\*|\*(?<em>[^*\s][^*]*)\*|`(?<code>[^`]+)`/g;

/** A line with its marks as elements; what is not a mark stays as it was typed. */
function toElements(line: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of line.matchAll(marks)) {
    const [[tag, inner] = ['', '']] = Object.entries(match.groups ?? {}).filter(([, value]) => value !== undefined);
    parts.push(showUnseen(line.slice(at, match.index)), createElement(tag, { key: match.index }, showUnseen(inner)));
    at = match.index + match[0].length;
  }
  return [...parts, showUnseen(line.slice(at))];
}

type Line = { kind: 'h3' | 'ul' | 'ol' | 'p'; text: string };

function readLine(line: string): Line {
  const [, mark = '', text = line] = /^\s*(#{1,6}|[-*+]|\d+[.)])\s+(.*)$/.exec(line) ?? [];
  if (mark.startsWith('#')) return { kind: 'h3', text };
  return { kind: mark === '' ? 'p' : /\d/.test(mark) ? 'ol' : 'ul', text };
}

/** The text in paragraphs, headings and lists. Nothing in it becomes HTML. */
export function Markdown({ text }: { text: string }) {
  const blocks: (Omit<Line, 'text'> & { lines: string[] })[] = [];
  let isOpen = false;
  for (const raw of text.split('\n')) {
    const { kind, text: line } = readLine(raw);
    const last = blocks.at(-1);
    if (isOpen && last?.kind === kind && kind !== 'h3') last.lines.push(line);
    else if (raw.trim() !== '') blocks.push({ kind, lines: [line] });
    isOpen = raw.trim() !== '';
  }
  return (
    <div className="markdown stack tight">
      {blocks.map(({ kind, lines }, place) => {
        const isList = kind === 'ul' || kind === 'ol';
        const inner = lines.map((line, at) => createElement(isList ? 'li' : 'span', { key: at }, ...toElements(line)));
        return createElement(kind, { key: place }, ...inner);
      })}
    </div>
  );
}
