import { useSyncExternalStore } from 'react';

export const typeTabs = ['define', 'rules', 'examples', 'train', 'results', 'try', 'logs', 'use'] as const;
export type TypeTab = (typeof typeTabs)[number];

export type Route = { page: 'types' } | { page: 'type'; id: string; tab: TypeTab } | { page: 'unknown'; path: string };

/** The place a hash names: `#/` is the list, `#/types/<id>/<tab>` a decision type. */
function parseRoute(hash: string): Route {
  const path = hash.replace(/^#\/?/, '');
  const [first, id, tab] = path.split('/');
  if (path === '' || path.startsWith('login=')) return { page: 'types' };
  if (first === 'types' && id) {
    const known = typeTabs.find((name) => name === (tab ?? 'define'));
    if (known) return { page: 'type', id: decodeURIComponent(id), tab: known };
  }
  return { page: 'unknown', path };
}

/** The hash of a place. */
export function formatRoute(route: Exclude<Route, { page: 'unknown' }>): string {
  return route.page === 'types' ? '#/' : `#/types/${encodeURIComponent(route.id)}/${route.tab}`;
}

export function goTo(route: Exclude<Route, { page: 'unknown' }>): void {
  window.location.hash = formatRoute(route);
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

/** The place the window is at, followed. */
export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => window.location.hash));
}
