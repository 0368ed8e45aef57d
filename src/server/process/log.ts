/** What parts of the server that know nothing of HTTP write to the log. */
export type Log = { warn(facts: object, text: string): void; error(facts: object, text: string): void };
