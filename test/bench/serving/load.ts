/** One bounded load of POST requests against a local route, with the percentiles that the bench prints. */
import autocannon from 'autocannon';

export type Load = {
  url: string;
  token: string;
  connections: number;
  seconds: number;
  body: (call: number) => unknown;
  /** Left out: as many as the connections can. */
  perSecond?: number;
};
export type LoadResult = {
  requestsPerSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  calls: number;
  failures: number;
};

/** Nearest-rank percentile of unsorted samples. */
export function percentile(samples: number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Runs the load. Times are taken per answer in milliseconds with a resolution below one. */
export async function runLoad(load: Load): Promise<LoadResult> {
  let call = 0;
  const samples: number[] = [];
  const started = performance.now();
  let finished: (error: unknown) => void = () => undefined;
  const ended = new Promise<unknown>((done) => {
    finished = done;
  });
  const options: autocannon.Options = {
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    ...(load.perSecond === undefined ? {} : { overallRate: load.perSecond }),
    method: 'POST',
    headers: { authorization: `Bearer ${load.token}`, 'content-type': 'application/json' },
    requests: [{ setupRequest: (request: object) => ({ ...request, body: JSON.stringify(load.body(call++)) }) }],
  };
  const instance = autocannon(options, (error) => finished(error));
  let failures = 0;
  instance.on('response', (_client: unknown, status: number, _bytes: number, responseMs: number) => {
    if (status === 200) samples.push(responseMs);
    else failures += 1;
  });
  const error = await ended;
  if (error instanceof Error) throw error;
  const seconds = (performance.now() - started) / 1_000;
  return {
    requestsPerSecond: samples.length / seconds,
    p50Ms: percentile(samples, 0.5),
    p95Ms: percentile(samples, 0.95),
    p99Ms: percentile(samples, 0.99),
    calls: samples.length,
    failures,
  };
}
