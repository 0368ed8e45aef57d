/** Examples as a file. */
import { Readable } from 'node:stream';
import { fileKinds } from '../../../engine/export/file-kinds.ts';
import { describeTrained, exportExamples } from '../../services/examples/example-export.ts';
import type { Handlers } from '../context.ts';

export const exampleExportHandlers = {
  'examples.export': async (deps, { type, query }) => {
    const { format, personal, policy_id: policyId = null, ...filter } = query;
    const { extension, contentType } = fileKinds[format];
    const pieces = await exportExamples(deps, type, { format, filter, withPersonal: personal, policyId });
    return {
      download: true,
      contentType,
      fileName: `${type.name}-examples.${extension}`,
      body: Readable.from(pieces, { highWaterMark: 1 }),
    };
  },

  'examples.trained': (deps, { type, query }) => describeTrained(deps, type, query.policy_id),
} satisfies Handlers;
