/**
 * Closes what was opened, the last first. What is opened registers its closing at once, so that a start that
 * fails half-way leaves nothing behind. (AsyncDisposableStack in small: Node 20, which is supported, has none.)
 */
export class ClosingStack {
  #closings: (() => void | Promise<void>)[] = [];

  /** Registers how something that is open now is closed. */
  defer(close: () => void | Promise<void>): void {
    this.#closings.push(close);
  }

  /**
   * Closes everything, each when the one before is closed. One that fails does not keep the others open: its error is
   * thrown at the end, several as an AggregateError. Does nothing when it is called again.
   */
  async close(): Promise<void> {
    const closings = this.#closings.reverse();
    this.#closings = [];
    const errors: unknown[] = [];
    for (const close of closings) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, 'Several parts of the program could not be closed.');
    if (errors.length === 1) throw errors[0];
  }

  /** Runs `start`; when it fails, closes what was registered so far and throws the error of the start. */
  async closeUnless<T>(start: () => Promise<T>): Promise<T> {
    try {
      return await start();
    } catch (error) {
      // What also fails to close after a failed start must not hide why the start failed.
      await this.close().catch(() => undefined);
      throw error;
    }
  }
}
