/** Exit codes of the program, by what went wrong; `fault` is an error that nothing expected. */
export const exitCodes = { data: 1, retraining: 1, options: 2, fault: 3, absent: 96, instance: 97, port: 98 } as const;

/** The program cannot do its command; the message is for the person at the console. */
export class StartError extends Error {
  readonly kind: Exclude<keyof typeof exitCodes, 'fault'>;
  /** Address of the instance that already has the data folder, when known. */
  readonly url: string | null;
  constructor(kind: StartError['kind'], message: string, options?: ErrorOptions & { url?: string | null }) {
    super(message, options);
    this.name = 'StartError';
    this.kind = kind;
    this.url = options?.url ?? null;
  }
  get exitCode(): number {
    return exitCodes[this.kind];
  }
}
