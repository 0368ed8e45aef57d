/** The names in the archive of a decision type: a ZIP that a workbench exports and imports, or a tab saves. */
export const archiveFormat = { format: 'decision-workbench-type', format_version: 1 } as const;

/** The entry with the bundle of a policy. */
export const toPolicyEntry = (version: number) => `policies/v${version}.zip`;
