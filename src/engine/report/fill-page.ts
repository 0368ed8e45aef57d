/** The page that a policy is saved as. */
import { escapeHtml } from './html.ts';

/** Every platform of the engine has it. */
declare const btoa: (binary: string) => string;

/** Bytes that become arguments of one call. */
const chunkBytes = 0x2000;

/** Puts a bundle into the built page; an input schema is compiled to a function, which the page then allows. */
export function fillPage(page: string, policy: { name: string; bundle: Uint8Array; hasSchema: boolean }): string {
  const parts = {
    TITLE: escapeHtml(policy.name),
    BUNDLE: toBase64(policy.bundle),
    EVAL: policy.hasSchema ? " 'unsafe-eval'" : '',
  };
  return Object.entries(parts).reduce((text, [name, part]) => text.replaceAll(`%${name}%`, () => part), page);
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunkBytes)
    binary += String.fromCharCode(...bytes.subarray(at, at + chunkBytes));
  return btoa(binary);
}
