/**
 * Runs something for many askers: at most one run is under way and one waits for it. Who asks during
 * a run gets the next one, which begins after the question.
 */
export class SharedRun<T> {
  readonly #start: () => Promise<T>;
  #running: Promise<unknown> | undefined;
  #waiting: Promise<T> | undefined;

  constructor(start: () => Promise<T>) {
    this.#start = start;
  }

  run(): Promise<T> {
    if (this.#waiting !== undefined) return this.#waiting;
    if (this.#running === undefined) return this.#begin();
    this.#waiting = this.#running.then(() => {
      this.#waiting = undefined;
      return this.#begin();
    });
    return this.#waiting;
  }

  /** Resolves when the run that is under way has ended, however it did. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #begin(): Promise<T> {
    const answer = this.#start();
    const running = answer
      .catch(() => undefined)
      .then(() => {
        if (this.#running === running) this.#running = undefined;
      });
    this.#running = running;
    return answer;
  }
}
