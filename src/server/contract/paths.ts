/** Addresses that are served beside the operation table. */

export const pagesPath = '/app/';
export const docsPath = '/docs';
export const mcpPath = '/mcp';
