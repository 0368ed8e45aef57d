/** The content security policy of pages and window: all from here; the editor needs inline styles, font, images. */
export const pageSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "worker-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The policy of a page without scripts that loads nothing; `styleSha256` (base64) names its one inline style. */
export function toScriptlessPolicy(styleSha256: string): string {
  return `default-src 'none'; style-src 'sha256-${styleSha256}'; base-uri 'none'; form-action 'none'`;
}
