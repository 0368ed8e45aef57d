/** Whether the server answers, and how fast: measured on the calls that are made anyway. */
import { createStore } from 'zustand/vanilla';

type HealthState = { reachable: boolean; medianMs: number | null };

const maxTimes = 50;
const retryMs = 1_000;

/** Watches the server: where a call fails, `probe` is asked every second; `onBack` is called once it answers. */
export function createHealth(probe: () => Promise<boolean>, onBack: () => void) {
  const store = createStore<HealthState>()(() => ({ reachable: true, medianMs: null }));
  const times: number[] = [];
  let isLooking = false;
  const look = async () => {
    if (await probe()) {
      isLooking = false;
      store.setState({ reachable: true });
      onBack();
    } else setTimeout(look, retryMs);
  };
  return {
    store,
    note: (reached: boolean, elapsedMs: number) => {
      if (!reached) {
        if (store.getState().reachable) store.setState({ reachable: false });
        if (!isLooking) setTimeout(look, retryMs);
        isLooking = true;
        return;
      }
      times.push(elapsedMs);
      if (times.length > maxTimes) times.shift();
      const sorted = [...times].sort((a, b) => a - b);
      const medianMs = sorted[Math.floor(sorted.length / 2)] ?? null;
      if (times.length % 5 === 1) store.setState({ medianMs });
    },
  };
}
export type Health = ReturnType<typeof createHealth>;
