/** What is measured inside the page: each function is sent there whole, so it uses nothing from outside itself. */

declare global {
  interface Window {
    /** Milliseconds from each key to the frame that shows another row, kept by `watchLabels`. */
    nextRowMs: number[];
  }
}

/** Waits for the place to be whole; gives the first contentful paint and that moment, from the start of navigation. */
export async function awaitFirstPaint(): Promise<{ paintedMs: number; thereMs: number }> {
  while (!document.querySelector('main h1') || document.querySelector('main .busy')) {
    await new Promise(requestAnimationFrame);
  }
  const thereMs = performance.now();
  let painted: PerformanceEntry | undefined;
  while (!painted) {
    await new Promise(requestAnimationFrame);
    [painted] = performance.getEntriesByName('first-contentful-paint');
  }
  return { paintedMs: painted.startTime, thereMs };
}

/** Whether the eight places with a script of their own have been loaded ahead. */
export function hasLoadedAhead(): boolean {
  const place = /\/(?:define|rules|examples|import|train|evaluate|try|deploy|monitor)-[^/]*\.js$/;
  return performance.getEntriesByType('resource').filter(({ name }) => place.test(name)).length >= 8;
}

/** Bytes of all scripts as they were sent. */
export function sumScriptBytes(): number {
  return performance
    .getEntriesByType('resource')
    .filter(({ name }) => name.endsWith('.js'))
    .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);
}

/** Goes to a place and gives the milliseconds until it is painted with what it shows: no part of it is still loading. */
export async function changePlace({ hash, place }: { hash: string; place: string }): Promise<number> {
  const title = `${place.charAt(0).toUpperCase()}${place.slice(1)} `;
  const isThere = () =>
    document.title.startsWith(title) &&
    document.querySelector('main h1') !== null &&
    document.querySelector('main .busy') === null &&
    (place !== 'rules' || document.querySelector('main .sheet [data-cursor]'));
  const from = performance.now();
  window.location.hash = hash;
  while (!isThere()) await new Promise(requestAnimationFrame);
  // After the frame's callbacks comes its paint, then this message.
  await new Promise((painted) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = painted;
      port2.postMessage(null);
    });
  });
  return performance.now() - from;
}

/** From now on notes how long after each digit typed another row is painted. */
export function watchLabels(): void {
  window.nextRowMs = [];
  const read = () => document.querySelector('.main-text')?.textContent ?? '';
  const note = ({ key, timeStamp }: KeyboardEvent) => {
    if (!/^\d$/.test(key)) return;
    const before = read();
    const look = () => {
      if (read() === before) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.nextRowMs.push(performance.now() - timeStamp);
      return port2.postMessage(null);
    };
    requestAnimationFrame(look);
  };
  document.addEventListener('keydown', note, true);
}

/**
 * Scrolls the table for 600 frames, resting after every 60th so that rows are asked for. Gives the longest time between
 * two frames and how many the browser itself reports as long (above 50 ms).
 */
export async function scroll(perFramePx: number): Promise<{ longestMs: number; longFrames: number; frames: number }> {
  const grid = document.querySelector('[role=grid]');
  if (!grid) throw new Error('There is no table to scroll.');
  const frames = 600;
  const restMs = 250;
  let longFrames = 0;
  const observer = new PerformanceObserver((list) => (longFrames += list.getEntries().length));
  observer.observe({ type: 'long-animation-frame' });
  let longestMs = 0;
  grid.scrollTop = 0;
  await new Promise((rested) => setTimeout(rested, restMs));
  let last = await new Promise<number>(requestAnimationFrame);
  for (let frame = 1; frame <= frames; frame += 1) {
    grid.scrollTop += perFramePx;
    const restsUntil = frame % 60 === 0 ? performance.now() + restMs : 0;
    do {
      const now = await new Promise<number>(requestAnimationFrame);
      longestMs = Math.max(longestMs, now - last);
      last = now;
    } while (last < restsUntil);
  }
  observer.disconnect();
  return { longestMs, longFrames, frames };
}
