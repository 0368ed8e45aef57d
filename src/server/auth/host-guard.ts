/** The guard against requests that a foreign web page causes. */
import { WorkbenchError } from '../../engine/errors.ts';

type GuardedHeaders = {
  host?: string | undefined;
  origin?: string | string[] | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
};

/** Throws `forbidden` for requests that a foreign web page could have caused, by Host, Origin and fetch site. */
export function createHostGuard(port: number): (headers: GuardedHeaders) => void {
  const hosts = new Set<string>();
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    hosts.add(`${name}:${port}`);
    if (port === 80) hosts.add(name);
  }
  return (headers) => {
    if (headers.host === undefined || !hosts.has(headers.host.toLowerCase())) {
      throw new WorkbenchError('forbidden', 'This Host is not served.');
    }
    const { origin } = headers;
    if (origin !== undefined) {
      const allowed = typeof origin === 'string' && origin.startsWith('http://') && hosts.has(origin.slice(7));
      if (!allowed) throw new WorkbenchError('forbidden', 'This Origin is not allowed.');
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new WorkbenchError('forbidden', 'Requests of other sites are not allowed.');
    }
  };
}
