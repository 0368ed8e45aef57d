/** The counts of a service: those of its processes added up. */
import type { Family } from '../../door/service-metrics.ts';
import type { ServedBundle } from './served-bundles.ts';

/** Says which files decide. */
export function listCurrent(bundles: ReadonlyMap<string, ServedBundle>): Family {
  return {
    name: 'decision_edge_bundle_current',
    help: '1 if the current bundle file decides; 0 if it was refused and the version before it decides',
    samples: [...bundles.values()].map(({ name, problem }) => ({
      labels: { decision_type: name },
      value: Number(problem === null),
    })),
  };
}

/** Writes the decisions with and without a line in the log, as Prometheus reads them. */
export function writeLogged({ written, unwritten }: { written: number; unwritten: number }): string {
  const name = 'decision_edge_logged_total';
  return [
    `# HELP ${name} Decisions that were to be logged; written: whether they have a line`,
    `# TYPE ${name} counter`,
    `${name}{written="true"} ${written}`,
    `${name}{written="false"} ${unwritten}`,
    '',
  ].join('\n');
}

/** Adds the counts of processes up, in Prometheus' text format; of a gauge the lowest value stays. */
export function addUp(texts: readonly string[]): string {
  const families = new Map<string, { isGauge: boolean; series: Map<string, number> }>();
  let family = { isGauge: false, series: new Map<string, number>() };
  let help = '';
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    if (line.startsWith('# HELP ')) help = line;
    else if (line.startsWith('# TYPE ')) {
      const head = `${help}\n${line}`;
      family = families.get(head) ?? { isGauge: line.endsWith(' gauge'), series: new Map() };
      families.set(head, family);
    } else if (line !== '') {
      const at = line.lastIndexOf(' ');
      const [series, value] = [line.slice(0, at), Number(line.slice(at + 1))];
      const known = family.series.get(series);
      const both = known === undefined ? value : family.isGauge ? Math.min(known, value) : known + value;
      family.series.set(series, both);
    }
  }
  const lines = [...families].flatMap(([head, { series }]) => [
    head,
    ...[...series].map(([name, value]) => `${name} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}
