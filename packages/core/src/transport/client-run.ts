import { toTroupeError } from "../base/errors/to-troupe-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ActiveRuns } from "./active-runs.ts";
import { reachOf } from "./run-fields.ts";
import type { RequestedRun } from "./run-fields.ts";

/** One for all: its stack says nothing, and a thousand clients may disconnect at once. */
const disconnected = new TroupeError("cancelled", "The client disconnected before the answer.");

/** Policy for a run under way for a client. */
export type ClientRunPolicy = {
  /** True if the run is cancelled when its client disconnects. */
  readonly endsWithClient: boolean;
  /** True if the client has disconnected already: such a run does not begin if it ends with its client. */
  readonly hasLeft?: boolean;
};

/**
 * A run under way for a client that waits for it, registered as active until `end()`. Its signal aborts when the run is
 * cancelled by its id, when a shutdown ends the active runs and, if the run ends with its client, on `disconnect()`.
 */
export class ClientRun {
  /** True if the run is cancelled when its client disconnects. */
  readonly endsWithClient: boolean;
  readonly #abort = new AbortController();
  readonly #unregister: () => void;

  /** Made by `ServedRuns.begin`. Throws `unavailable` while a shutdown drains. */
  constructor(
    requested: Pick<RequestedRun<unknown, unknown>, "opts" | "owner">,
    activeRuns: ActiveRuns,
    { endsWithClient, hasLeft = false }: ClientRunPolicy,
  ) {
    if (endsWithClient && hasLeft) throw disconnected;
    this.endsWithClient = endsWithClient;
    this.#unregister = activeRuns.begin(requested.opts.runId, reachOf(requested), (reason) =>
      this.#abort.abort(reason),
    );
  }

  /** The signal to run with. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Cancels the run if it ends with its client. Call it when the client has left before the end of the answer. */
  disconnect(): void {
    if (this.endsWithClient) this.#abort.abort(disconnected);
  }

  /** Returns the error of a failed run from what it has thrown: the reason of its cancel, if it was cancelled. */
  fail(thrown: unknown): TroupeError {
    return toTroupeError(thrown, this.signal);
  }

  /** Marks the run as over. Always call it; the answer may still be on its way. */
  end(): void {
    this.#unregister();
  }
}
