import { RunError, TroupeError } from "@troupe/core";
import { toTroupeError } from "@troupe/core/adapter";
import type { Exchange, RunCall } from "../exchange.ts";
import { noteUsage } from "../request-record.ts";
import { ClientPresence } from "./client-presence.ts";

/** One for all: where it was made says nothing, and a thousand clients may leave at once. */
const clientLeft = new TroupeError("cancelled", "The client left before the answer.");

/**
 * A run on behalf of a client, from before it begins until it is over. Its signal aborts when somebody cancels it, when the
 * service ends and, unless runs are to go on then, when the client leaves.
 */
export class ClientRun {
  readonly presence: ClientPresence;
  readonly #exchange: Exchange;
  readonly #abort = new AbortController();
  readonly #end: () => void;

  constructor(exchange: Exchange, { opts, owner }: Pick<RunCall<unknown, unknown>, "opts" | "owner">) {
    const { response, settings } = exchange;
    this.#exchange = exchange;
    this.#closeIfDraining();
    // Its `close` has been emitted already: nobody would hear of it any more.
    if (response.destroyed && settings.onDisconnect === "cancel") throw clientLeft;
    this.#end = settings.runs.begin(opts.runId, owner, (reason) => this.#abort.abort(reason));
    this.presence = new ClientPresence(exchange, () => {
      if (settings.onDisconnect === "cancel") this.#abort.abort(clientLeft);
    });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Notes that it failed, and says why. */
  fail(thrown: unknown): TroupeError {
    const error = toTroupeError(thrown, this.signal);
    if (error instanceof RunError) noteUsage(this.#exchange.response, error.output.usage);
    return error;
  }

  /** Notes that it is over: what there is to say of it may still be on its way. */
  end(): void {
    this.#end();
    this.#closeIfDraining();
  }

  /** A connection that was kept would keep a service that is shutting down. */
  #closeIfDraining(): void {
    const { response, settings } = this.#exchange;
    if (settings.runs.isDraining && !response.headersSent) response.setHeader("Connection", "close");
  }
}
