/** Counts of this process since its start, in the text format of Prometheus. No label holds anything of an input. */

/** Upper ends of the buckets of a request's seconds, as the Python package has them. */
const bucketSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const millisecondsPerSecond = 1_000;
/** Different labels of a family that are counted; the longest answer stays at a few megabytes. */
const maxSeries = 10_000;

export type Sample = { labels: Readonly<Record<string, string>>; value: number };
/** Samples under one name; a gauge where no kind is given. */
export type Family = { name: string; kind?: 'counter' | 'gauge'; help: string; samples: readonly Sample[] };

type CountedDecision = { policy_version: string; release?: number; decision: string; stage: string; escalate: boolean };
type Histogram = { counts: number[]; sum: number; count: number };

/** The service's counts: decisions by organisation, requests and refusals of all. */
export class ServiceMetrics {
  readonly #decisions = new Map<number, Map<string, { labels: Sample['labels']; count: number }>>();
  readonly #requests = new Map<string, { labels: Sample['labels']; histogram: Histogram }>();
  readonly #refusals = new Map<string, number>();

  /** Counts a decision of an organisation. */
  countDecision(organisationSeq: number, typeName: string, made: CountedDecision): void {
    const { policy_version, release, decision, stage, escalate } = made;
    let own = this.#decisions.get(organisationSeq);
    if (own === undefined) {
      own = new Map();
      this.#decisions.set(organisationSeq, own);
    }
    const key = `${typeName}\n${release ?? policy_version}\n${decision}\n${stage}${escalate}`;
    const known = own.get(key);
    if (known !== undefined) known.count += 1;
    else if (own.size < maxSeries) {
      const of = {
        decision_type: typeName,
        policy_version,
        ...(release === undefined ? {} : { release: String(release) }),
      };
      own.set(key, { labels: { ...of, decision, stage, escalate: String(escalate) }, count: 1 });
    }
  }

  /** The decisions of a type that were counted. */
  sumDecisions(organisationSeq: number, typeName: string): number {
    const counted = [...(this.#decisions.get(organisationSeq)?.values() ?? [])];
    return counted.reduce((sum, { labels, count }) => sum + (labels['decision_type'] === typeName ? count : 0), 0);
  }

  /** Counts a refused request, or a refused item of a batch, by its error code. */
  countRefusal(code: string): void {
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
  }

  /** Counts an answer, with the time that it took; `route` is the pattern of its address. */
  countRequest(route: string, status: number, tookMs: number): void {
    const key = `${status}${route}`;
    let known = this.#requests.get(key);
    if (known === undefined) {
      const histogram = { counts: bucketSeconds.map(() => 0), sum: 0, count: 0 };
      known = { labels: { route, status: String(status) }, histogram };
      this.#requests.set(key, known);
    }
    const { histogram } = known;
    const seconds = tookMs / millisecondsPerSecond;
    const bucket = bucketSeconds.findIndex((end) => seconds <= end);
    if (bucket >= 0) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
    histogram.sum += seconds;
    histogram.count += 1;
  }

  /** Writes the counts as an organisation may see them, and further families behind them. */
  render(organisationSeq: number, further: readonly Family[]): string {
    const counted = [...(this.#decisions.get(organisationSeq)?.values() ?? [])];
    const refusals = [...this.#refusals].map(([code, value]) => ({ labels: { code }, value }));
    return [
      ...writeFamily({
        name: 'decision_edge_decisions_total',
        kind: 'counter',
        help: 'Decisions made; escalate: a person should look',
        samples: counted.map(({ labels, count }) => ({ labels, value: count })),
      }),
      ...writeFamily({
        name: 'decision_edge_refused_total',
        kind: 'counter',
        help: 'Requests and items of batches that were refused, by error code',
        samples: refusals,
      }),
      ...this.#writeRequests(),
      ...further.flatMap(writeFamily),
      '',
    ].join('\n');
  }

  #writeRequests(): string[] {
    const name = 'decision_edge_request_seconds';
    const lines = [...this.#requests.values()].flatMap(({ labels, histogram: { counts, sum, count } }) => {
      let below = 0;
      const buckets = bucketSeconds.map((end, at) => {
        below += counts[at] ?? 0;
        return writeSample(`${name}_bucket`, { labels: { ...labels, le: String(end) }, value: below });
      });
      return [
        ...buckets,
        writeSample(`${name}_bucket`, { labels: { ...labels, le: '+Inf' }, value: count }),
        writeSample(`${name}_sum`, { labels, value: sum }),
        writeSample(`${name}_count`, { labels, value: count }),
      ];
    });
    return [...writeHead(name, 'histogram', "Time from a request's head to its answer"), ...lines];
  }
}

function writeFamily({ name, kind = 'gauge', help, samples }: Family): string[] {
  return [...writeHead(name, kind, help), ...samples.map((sample) => writeSample(name, sample))];
}

const writeHead = (name: string, kind: 'counter' | 'gauge' | 'histogram', help: string) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${kind}`,
];

function writeSample(name: string, { labels, value }: Sample): string {
  const written = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${written.length === 0 ? '' : `{${written.join(',')}}`} ${value}`;
}

const escapeLabel = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
