import { TroupeError } from "../../base/errors/troupe-error.ts";

type End = (reason: TroupeError) => void;

/** The clients that follow durable runs. A shutdown ends their answers, and the runs continue elsewhere. */
export class Followers {
  /** The functions that end the response to each client, with the id of the run that the client follows. */
  readonly #followers = new Map<End, string>();
  readonly #waiting: (() => void)[] = [];
  #isEnding = false;

  /**
   * Registers a client, and returns the function to call when its answer is over. Throws `interrupted` after `endAll`.
   */
  begin(runId: string, end: End): () => void {
    if (this.#isEnding) throw interrupted(runId);
    this.#followers.set(end, runId);
    return () => {
      this.#followers.delete(end);
      if (this.#followers.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Ends all answers with the error `interrupted`. Resolves when the last answer is over. */
  async endAll(): Promise<void> {
    this.#isEnding = true;
    for (const [end, runId] of this.#followers) end(interrupted(runId));
    if (this.#followers.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

function interrupted(runId: string): TroupeError {
  const fields = { runId, retryAfterMs: 1000 };
  return new TroupeError("interrupted", "The run goes on without this connection. Ask for it by its id.", { fields });
}
