/** Text as HTML. */
import { showUnseen } from '../code-points.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Writes what somebody has named or written as HTML that neither hides a sign nor turns the sentence around it. */
export function quoteText(text: string): string {
  return `<bdi>${escapeHtml(showUnseen(text))}</bdi>`;
}
