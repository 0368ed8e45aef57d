/** Where the window is: every place, filter, row and cell has an address, kept in the hash. */
import { useMemo, useSyncExternalStore } from 'react';

export const places = [
  'define',
  'rules',
  'examples',
  'import',
  'train',
  'evaluate',
  'try',
  'deploy',
  'monitor',
] as const;
export type Place = (typeof places)[number];
export const settingsTitles = {
  keys: 'API keys and agents',
  connections: 'Model connections',
  'text-models': 'Text models',
  credits: 'Plan and credits',
  activity: 'Activity',
  data: 'Data and backups',
  look: 'Look',
  shortcuts: 'Keyboard',
} as const;
export type SettingsSection = keyof typeof settingsTitles;
const isSection = (name: string): name is SettingsSection => Object.hasOwn(settingsTitles, name);
/** The sections of the settings, in their order. */
export const settingsSections = Object.keys(settingsTitles).filter(isSection);

/** Filters, the chosen row or cell and the like: the part of an address behind its question mark. */
export type Query = Readonly<Record<string, string>>;

export type Route =
  | { page: 'start' }
  | { page: 'new' }
  | { page: 'settings'; section: SettingsSection }
  | { page: 'type'; id: string; place: Place; query?: Query }
  | { page: 'unknown'; path: string };

/** The place a hash names: `#/` is the start, `#/types/<id>/<place>?<query>` a place of a decision type. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const [first, second, third] = path.split('/');
  if (path === '' || path.startsWith('login=')) return { page: 'start' };
  if (path === 'new') return { page: 'new' };
  if (first === 'settings') {
    const section = second ?? 'keys';
    if (isSection(section)) return { page: 'settings', section };
  }
  if (first === 'types' && second) {
    const name = third ?? 'define';
    const place = places.find((each) => each === name);
    const query = Object.fromEntries(new URLSearchParams(search));
    if (place) return { page: 'type', id: decodeURIComponent(second), place, query };
  }
  return { page: 'unknown', path };
}

/** The hash of a place. */
export function formatRoute(route: Exclude<Route, { page: 'unknown' }>): string {
  if (route.page === 'start') return '#/';
  if (route.page === 'new') return '#/new';
  if (route.page === 'settings') return `#/settings/${route.section}`;
  const query = new URLSearchParams(Object.entries(route.query ?? {}).filter(([, value]) => value !== '')).toString();
  return `#/types/${encodeURIComponent(route.id)}/${route.place}${query === '' ? '' : `?${query}`}`;
}

/** Goes to a place; with `replace` the place left behind is not in the history. */
export function goTo(route: Exclude<Route, { page: 'unknown' }>, how: { replace?: boolean } = {}): void {
  const hash = formatRoute(route);
  if (window.location.hash === hash) return;
  if (how.replace) {
    window.history.replaceState(null, '', hash);
    window.dispatchEvent(new Event('hashchange'));
  } else window.location.hash = hash;
}

/** Changes parts of the present address; an empty value takes a part out. */
export function changeQuery(patch: Query, how: { replace?: boolean } = {}): void {
  const route = parseRoute(window.location.hash);
  if (route.page === 'type') goTo({ ...route, query: { ...route.query, ...patch } }, how);
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

const readHash = () => window.location.hash;

/** The place the window is at, followed. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, readHash);
  return useMemo(() => parseRoute(hash), [hash]);
}

const noQuery: Query = {};

/** The query of the present address. */
export function useQueryPart(): Query {
  const route = useRoute();
  return route.page === 'type' ? (route.query ?? noQuery) : noQuery;
}
