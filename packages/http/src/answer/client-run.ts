import { RunError, TroupeError } from "@troupe/core";
import { toTroupeError } from "@troupe/core/adapter";
import type { Exchange } from "../exchange/exchange.ts";
import { recordUsage } from "../exchange/request-record.ts";
import type { RunRequest } from "../request/read-run-request.ts";
import type { RouterSettings } from "../settings/router-options.ts";

/** One for all: its stack says nothing, and a thousand clients may disconnect at once. */
const disconnected = new TroupeError("cancelled", "The client disconnected before the answer.");

/** Settings of the router that matter while a run is active. */
type RunSettings = Pick<RouterSettings, "activeRuns" | "onDisconnect" | "heartbeatMs">;

/**
 * A run that a client has requested over HTTP, registered as active until `end()`. Its signal aborts when the run is
 * cancelled by its id, when a shutdown ends the active runs and, unless `onDisconnect` is `"continue"`, when the client
 * disconnects.
 */
export class ClientRun<Subject, Input> {
  readonly exchange: Exchange;
  readonly runRequest: RunRequest<Subject, Input>;
  readonly settings: RunSettings;
  readonly #abort = new AbortController();
  readonly #unregister: () => void;

  constructor(exchange: Exchange, runRequest: RunRequest<Subject, Input>, settings: RunSettings) {
    this.exchange = exchange;
    this.runRequest = runRequest;
    this.settings = settings;
    this.#closeIfDraining();
    const { response } = exchange;
    const endsWithClient = settings.onDisconnect === "cancel" || runRequest.query.endsWithClient;
    // Its event `close` has already been emitted.
    if (endsWithClient && response.destroyed) throw disconnected;
    this.#unregister = settings.activeRuns.begin(runRequest.opts.runId, runRequest.owner, (reason) =>
      this.#abort.abort(reason),
    );
    if (endsWithClient) response.on("close", this.#onClose);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Returns the error of a failed run, and notes the tokens that it used. */
  fail(thrown: unknown): TroupeError {
    const error = toTroupeError(thrown, this.signal);
    if (error instanceof RunError) recordUsage(this.exchange.response, error.output.usage);
    return error;
  }

  /** Marks the run as over. Its answer may still be on its way. */
  end(): void {
    this.#unregister();
    this.#closeIfDraining();
  }

  readonly #onClose = (): void => {
    if (!this.exchange.response.writableFinished) this.#abort.abort(disconnected);
  };

  /** A connection that is kept alive would keep a service alive that is shutting down. */
  #closeIfDraining(): void {
    const { response } = this.exchange;
    if (this.settings.activeRuns.isDraining && !response.headersSent) response.setHeader("Connection", "close");
  }
}
