/** How often a stream of events shows that it is alive; in a file of its own for the page. */
export const heartbeatMs = 15_000;
