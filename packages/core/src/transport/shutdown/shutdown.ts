import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Logger } from "../../base/log/logger.ts";
import { closeTogether } from "../../base/async/close-in-order.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import { millisecondsOption, optional } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import type { DrainableRuns } from "../runs/active-runs.ts";
import { WatchedServer } from "./watched-server.ts";
import type { ClosableServer } from "./watched-server.ts";

/** Options of the end of a service. */
export type CloseOptions = {
  /** Milliseconds that active runs have before they are ended. @default 25_000 */
  graceMs?: number | undefined;
  /**
   * Milliseconds for which the listener stays open and refuses new runs with a 503, so that load balancers and clients
   * can use other servers. Ends early when no request is left. At most `graceMs`, also by default. @default 5_000
   */
  drainMs?: number | undefined;
};

const closeOptions = {
  graceMs: optional(millisecondsOption, 25_000),
  drainMs: optional(millisecondsOption),
} satisfies OptionTable<CloseOptions>;

const defaultDrainMs = 5000;

/** Milliseconds after the grace period in which ended runs can notify their clients. */
const endingMs = 3000;

/** The checked durations of the phases in which a service shuts down. */
type CloseTimes = { readonly graceMs: number; readonly drainMs: number };

/** Checks the options of the end of a service. Throws `invalid_config` for a wrong option. */
export function readCloseOptions(options: CloseOptions, owner: string): CloseTimes {
  const { graceMs, drainMs = Math.min(defaultDrainMs, graceMs) } = readOptions(closeOptions, options, { owner });
  if (drainMs <= graceMs) return { graceMs, drainMs };
  const sentence = `drainMs must be at most graceMs, ${graceMs}, got ${drainMs}: the listener closes with the last run.`;
  throw new TroupeError("invalid_config", sentence);
}

/**
 * The orderly end of a service. It stops accepting runs, then connections, waits the grace period for active runs, and
 * ends the remaining runs and connections.
 */
export class Shutdown {
  readonly #logger: Logger;
  readonly #runs: DrainableRuns[] = [];
  readonly #servers: WatchedServer[] = [];
  readonly #finished = Promise.withResolvers<void>();
  /** The durations of the phases of the shutdown. Undefined before it begins. */
  #times: CloseTimes | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Resolves when the service has ended. The host can then close the resources of the service, such as its storage. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  /**
   * Closes a server when the service ends, without resetting connections that carry a request. Call it before the
   * server gets its first request. It also turns absolute request targets into paths.
   */
  attach(server: ClosableServer): this {
    const watched = new WatchedServer(server);
    this.#servers.push(watched);
    const times = this.#times;
    if (times !== undefined) void this.#ended(() => watched.close(times.drainMs));
    return this;
  }

  /** Ends these runs when the service ends. A router with this shutdown adds its own runs. */
  add(runs: DrainableRuns): this {
    this.#runs.push(runs);
    if (this.#times !== undefined) void this.#ended(() => runs.drain());
    return this;
  }

  /** Begins the end of the service. Returns the promise `finished`, even if called again. */
  begin(times: CloseTimes): Promise<void> {
    if (this.#times === undefined) {
      this.#times = times;
      void this.#end(times).finally(this.#finished.resolve);
    }
    return this.#finished.promise;
  }

  async #end({ graceMs, drainMs }: CloseTimes): Promise<void> {
    const drains = this.#runs.map((runs) => () => this.#ended(() => runs.drain()));
    const closings = this.#servers.map((server) => () => this.#ended(() => server.close(drainMs)));
    const ended = closeTogether(...drains, ...closings).then(() => true as const);
    if (await endsWithin(ended, graceMs)) return;

    const left = this.#runs.reduce((sum, { size }) => sum + size, 0);
    if (left > 0) this.#logger.warn("Active runs are ended: the service shuts down.", { runs: left });
    for (const runs of this.#runs) runs.endAll();
    if (await endsWithin(ended, endingMs)) return;
    for (const server of this.#servers) server.force();
  }

  /**
   * Waits until a router's runs or a server have ended, and logs a failure. Never rejects, so that one failure does not
   * delay other ends.
   */
  async #ended(end: () => Promise<void>): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.#logger.error("A part of the service could not be ended in order. The others are.", { error });
    }
  }
}

/** Waits for the end of the service, at most for the timeout. Returns false if the timeout came first. */
async function endsWithin(ended: Promise<true>, timeoutMs: number): Promise<boolean> {
  return await withTimeout(ended, { timeoutMs, onTimeout: () => false });
}
