import type { TroupeError } from "@troupe/core";
import { RunError } from "@troupe/core";
import type { ClientRun } from "@troupe/core/transport";
import type { Exchange } from "../exchange/exchange.ts";
import { recordUsage } from "../exchange/request-record.ts";
import type { RunRequest } from "../request/read-run-request.ts";
import type { RouterSettings } from "../settings/router-options.ts";

/** Settings of the router that matter while a run is active. */
type RunSettings = Pick<RouterSettings, "servedRuns" | "onDisconnect" | "heartbeatMs">;

/**
 * A run that a client has requested over HTTP, active until `end()`. Its signal aborts when the run is cancelled by its id, when
 * a shutdown ends the active runs and, unless `onDisconnect` is `"continue"`, when the client disconnects.
 */
export class HttpRun<Subject, Input> {
  readonly exchange: Exchange;
  readonly runRequest: RunRequest<Subject, Input>;
  readonly settings: RunSettings;
  readonly #run: ClientRun;

  constructor(exchange: Exchange, runRequest: RunRequest<Subject, Input>, settings: RunSettings) {
    this.exchange = exchange;
    this.runRequest = runRequest;
    this.settings = settings;
    const { response } = exchange;
    const { servedRuns, onDisconnect } = settings;
    closeIfDraining(exchange, settings);
    const endsWithClient = onDisconnect === "cancel" || runRequest.query.endsWithClient;
    // Of a response that is destroyed, the event `close` has already been emitted.
    this.#run = servedRuns.begin(runRequest, { endsWithClient, hasLeft: response.destroyed });
    if (endsWithClient) response.on("close", this.#onClose);
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /** Returns the error of a failed run, and notes the tokens that it used. */
  fail(thrown: unknown): TroupeError {
    const error = this.#run.fail(thrown);
    if (error instanceof RunError) recordUsage(this.exchange.response, error.output.usage);
    return error;
  }

  /** Marks the run as over. Its answer may still be on its way. */
  end(): void {
    this.#run.end();
    closeIfDraining(this.exchange, this.settings);
  }

  readonly #onClose = (): void => {
    if (!this.exchange.response.writableFinished) this.#run.disconnect();
  };
}

/** A connection that is kept alive would keep a service alive that is shutting down. */
export function closeIfDraining({ response }: Exchange, { servedRuns }: Pick<RouterSettings, "servedRuns">): void {
  if (servedRuns.isDraining && !response.headersSent) response.setHeader("Connection", "close");
}
