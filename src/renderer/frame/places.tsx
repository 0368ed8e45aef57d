/** The places of a decision type: title, key, icon, and the part of the page behind each, loaded when it is needed. */
import {
  Activity,
  ChartColumn,
  FlaskConical,
  GraduationCap,
  ListChecks,
  type LucideIcon,
  Rocket,
  SlidersHorizontal,
  Table2,
  Upload,
} from 'lucide-react';
import { type ComponentType, lazy } from 'react';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { readExamplesAhead } from '../features/examples/rows/read-ahead.ts';
import type { Place, Query, Route } from '../state/route.ts';
import type { Workbench } from '../state/workbench.ts';

type View = ComponentType<{ type: DecisionType }>;
type PlaceSpec = { title: string; key: string; icon: LucideIcon; view: View };

const loaders = {
  define: async () => (await import('../features/define/define.tsx')).Define,
  rules: async () => (await import('../features/rules/rules.tsx')).Rules,
  examples: async () => (await import('../features/examples/examples.tsx')).Examples,
  import: async () => (await import('../features/import/import-desk.tsx')).ImportDesk,
  train: async () => (await import('../features/train/train.tsx')).Train,
  evaluate: async () => (await import('../features/evaluate/evaluate.tsx')).Evaluate,
  try: async () => (await import('../features/try/try.tsx')).Try,
  deploy: async () => (await import('../features/deploy/deploy.tsx')).Deploy,
  monitor: async () => (await import('../features/monitor/monitor.tsx')).Monitor,
} satisfies Record<Place, () => Promise<View>>;

const toLazy = (place: Place) => lazy(async () => ({ default: await loaders[place]() }));

export const placeSpecs: Record<Place, PlaceSpec> = {
  define: { title: 'Define', key: 'd', icon: SlidersHorizontal, view: toLazy('define') },
  rules: { title: 'Rules', key: 'r', icon: ListChecks, view: toLazy('rules') },
  examples: { title: 'Examples', key: 'e', icon: Table2, view: toLazy('examples') },
  import: { title: 'Import', key: 'i', icon: Upload, view: toLazy('import') },
  train: { title: 'Train', key: 't', icon: GraduationCap, view: toLazy('train') },
  evaluate: { title: 'Evaluate', key: 'v', icon: ChartColumn, view: toLazy('evaluate') },
  try: { title: 'Try', key: 'y', icon: FlaskConical, view: toLazy('try') },
  deploy: { title: 'Deploy', key: 'p', icon: Rocket, view: toLazy('deploy') },
  monitor: { title: 'Monitor', key: 'm', icon: Activity, view: toLazy('monitor') },
};

/** The places that the rail lists, in the order of the work. */
export const railPlaces = ['define', 'rules', 'examples', 'train', 'evaluate', 'try', 'deploy', 'monitor'] as const;

/** Data that a place must wait for when it is opened; all others have theirs, or show themselves without. */
const readers: Partial<Record<Place, (workbench: Workbench, typeId: string, query: Query) => Promise<void>>> = {
  examples: readExamplesAhead,
};

/** Prefetches the data that a place shows first; a fault is shown by the place, which asks again. */
export function readPlaceAhead(workbench: Workbench, route: Route): void {
  if (route.page !== 'type') return;
  void readers[route.place]?.(workbench, route.id, route.query ?? {}).catch(() => undefined);
}

/** Loads the part of one place. */
export async function loadPlace(place: Place): Promise<void> {
  await loaders[place]();
}

/** Loads every part ahead, so that a place opens at once, and also without the server. */
export async function loadPlacesAhead(): Promise<void> {
  for (const load of Object.values(loaders)) await load();
}
