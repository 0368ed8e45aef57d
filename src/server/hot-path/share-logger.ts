import type { FastifyBaseLogger } from 'fastify';

/**
 * The logger with itself as the child of every request, because each line of the log names its request itself.
 *
 * Measured: with a logger made for each request a decision took a tenth more processor time.
 */
export function shareLogger<Logger extends FastifyBaseLogger>(logger: Logger): Logger {
  const shared: Logger = Object.assign(Object.create(logger) as Logger, { child: () => shared });
  return shared;
}
