/** Matches the key of a step that is a model call. */
const isModelCall = /(^|\/)m\/\d+$/;

/** The permission of an attempt to do steps that no earlier attempt has done. Without it, the attempt only ends its run. */
export class NewWork {
  /** Ends the run if the attempt may do no new work. */
  #endRun: (() => void) | undefined;

  /** Calls `endRun` once the attempt reaches a step that is not done, or a wait without an answer. */
  forbid(endRun: () => void): void {
    this.#endRun = endRun;
  }

  /** Returns a promise that a step awaits before its work, so that the run can end; undefined if new work is allowed. */
  before(): Promise<void> | undefined {
    return this.#endRun === undefined ? undefined : new Promise((resolve) => setImmediate(resolve));
  }

  /** Ends the run at this step if the attempt may do no new work. */
  reach(step: string): void {
    // A model must not be called at all, so the run ends immediately. If another kind of step is reached, the stored
    // results of parallel tool calls are read first.
    if (isModelCall.test(step)) this.#endRun?.();
    else if (this.#endRun !== undefined) setImmediate(this.#endRun);
  }
}
