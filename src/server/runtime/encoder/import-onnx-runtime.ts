/** ONNX Runtime, which an installation may lack: tables and words are learned without it. */

/** Loads it with the ports over it; null where it is not installed. For child processes only. */
export async function importOnnxRuntime(): Promise<typeof import('./onnx-session.ts') | null> {
  try {
    return await import('./onnx-session.ts');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}
