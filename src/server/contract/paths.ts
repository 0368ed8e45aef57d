/** Addresses that are served beside the operation table. */

/** The workbench's pages. */
export const pagesPath = '/app/';
/** The readable page of the interface. */
export const docsPath = '/docs';
/** The agent tools. */
export const mcpPath = '/mcp';
