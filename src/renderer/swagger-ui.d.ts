/** The part of Swagger UI, which comes without types, that the page of the interface uses. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  // biome-ignore lint/style/noDefaultExport: it is theirs
  export default function showInterface(options: Readonly<Record<string, unknown>>): void;
}
