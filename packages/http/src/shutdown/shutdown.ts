import { createLogger, TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { closeTogether, loggerOption, milliseconds, optional, readOptions, withTimeout } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import type { EndingRuns } from "@troupe/core/transport";
import { WatchedServer } from "./watched-server.ts";
import type { ClosableServer } from "./watched-server.ts";

/** Options of {@link createShutdown}. */
export type ShutdownOptions = {
  /** Milliseconds that active runs may take until they are ended. @default 25_000 */
  graceMs?: number | undefined;
  /**
   * Milliseconds for which the listener stays open and refuses new runs with a 503, or until no request is left: time for load
   * balancers and clients to go elsewhere. At most `graceMs`. @default 5_000
   */
  drainMs?: number | undefined;
  /** Receives warnings about what had to be ended. @default warnings, on the standard error stream */
  logger?: Logger | undefined;
};

const shutdownOptions = {
  graceMs: optional(milliseconds, 25_000),
  drainMs: optional(milliseconds),
  logger: optional(loggerOption),
} satisfies OptionTable<ShutdownOptions>;

const defaultDrainMs = 5000;

const signals = ["SIGTERM", "SIGINT"] as const;

/** Milliseconds that runs have after the grace period to tell their clients that they were ended. */
const endingMs = 3000;

/** Milliseconds that the host has after that to close what keeps the process alive. */
const lingerMs = 1500;

/**
 * The orderly end of a service, made by {@link createShutdown}: no new runs, no new connections once clients know, a grace
 * period for active runs, then the end of the runs and connections that are left.
 */
export class Shutdown {
  readonly #graceMs: number;
  readonly #drainMs: number;
  readonly #logger: Logger;
  readonly #runs: EndingRuns[] = [];
  readonly #servers: WatchedServer[] = [];
  readonly #finished = Promise.withResolvers<void>();
  #hasBegun = false;

  constructor(options: ShutdownOptions) {
    const { graceMs, drainMs, logger } = readOptions(shutdownOptions, options, { owner: "createShutdown" });
    if (drainMs !== undefined && drainMs > graceMs) {
      const sentence = `drainMs must be at most graceMs, ${graceMs}, got ${drainMs}: the listener closes with the last run.`;
      throw new TroupeError("invalid_config", sentence);
    }
    this.#graceMs = graceMs;
    this.#drainMs = drainMs ?? Math.min(defaultDrainMs, graceMs);
    this.#logger = logger ?? createLogger({ level: "warn" });
  }

  /** Resolves when the service has ended: the moment to close what it used, such as its storage. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  /**
   * Closes a server when the service ends, without a reset of connections that carry a request. Call it before the server gets
   * its first request: targets in absolute form are also turned into paths.
   */
  attach(server: ClosableServer): this {
    const watched = new WatchedServer(server);
    this.#servers.push(watched);
    if (this.#hasBegun) void this.#ended(() => watched.close(this.#drainMs));
    return this;
  }

  /** Ends runs when the service ends. A router that is given this shutdown adds its own. */
  add(runs: EndingRuns): this {
    this.#runs.push(runs);
    if (this.#hasBegun) void this.#ended(() => runs.drain());
    return this;
  }

  /**
   * Ends the service and then the process on SIGTERM or SIGINT. If anything else keeps the process alive after that, it is
   * ended with a warning. A second signal ends the process at once, with exit code 1.
   */
  onSignals(): this {
    let isFirst = true;
    const onSignal = (): void => {
      if (!isFirst) process.exit(1);
      isFirst = false;
      void this.begin().then(() => this.#endProcess());
    };
    for (const signal of signals) process.on(signal, onSignal);
    return this;
  }

  /** Begins the end of the service. Returns the promise `finished`, however often it is called. */
  begin(): Promise<void> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      void this.#end().finally(this.#finished.resolve);
    }
    return this.#finished.promise;
  }

  async #end(): Promise<void> {
    const drains = this.#runs.map((runs) => () => this.#ended(() => runs.drain()));
    const closings = this.#servers.map((server) => () => this.#ended(() => server.close(this.#drainMs)));
    const ended = closeTogether(...drains, ...closings).then(() => true as const);
    if (await endsWithin(ended, this.#graceMs)) return;

    const left = this.#runs.reduce((sum, { size }) => sum + size, 0);
    if (left > 0) this.#logger.warn("Active runs are ended: the service shuts down.", { runs: left });
    for (const runs of this.#runs) runs.endAll();
    if (await endsWithin(ended, endingMs)) return;
    for (const server of this.#servers) server.force();
  }

  /** Waits for an end. Never rejects: what cannot be ended holds up nothing else. */
  async #ended(end: () => Promise<void>): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.#logger.error("A part of the service could not be ended in order. The others are.", { error });
    }
  }

  /** Lets the process end by itself, and ends it if something keeps it alive. */
  async #endProcess(): Promise<void> {
    const { promise: isEnded } = Promise.withResolvers<never>();
    const onTimeout = (): never => {
      this.#logger.warn("The process is ended: something keeps it alive after the shutdown.");
      process.exit();
    };
    await withTimeout(isEnded, { timeoutMs: lingerMs, onTimeout, unref: true });
  }
}

/** Waits for the end, but no longer than the timeout. Returns false if that was over first. */
async function endsWithin(ended: Promise<true>, timeoutMs: number): Promise<boolean> {
  return await withTimeout(ended, { timeoutMs, onTimeout: () => false });
}

/**
 * Makes the orderly shutdown of a service, to pass to routers as the option `shutdown`; attach the HTTP server to it
 * with `attach`. It begins with `begin()`, or with SIGTERM or SIGINT after `onSignals()`.
 */
export function createShutdown(options: ShutdownOptions = {}): Shutdown {
  return new Shutdown(options);
}
