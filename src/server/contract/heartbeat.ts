/**
 * How often a stream of events shows that it is alive. A file of its own: the page takes nothing else of the contract.
 */
export const heartbeatMs = 15_000;
