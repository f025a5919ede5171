import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { checkDuration, checkOptionNames, withTimeout } from "@troupe/core/adapter";
import { onEndSignals } from "./on-end-signals.ts";
import { WatchedServer } from "./watched-server.ts";
import type { ClosableServer } from "./watched-server.ts";

/** How a service ends. */
export type ShutdownOptions = {
  /** How long the runs that are under way may take from then on. @default 25_000 */
  graceMs?: number;
  /** Hears of what had to be cut off. @default warnings, on the standard error stream */
  logger?: Logger;
};

/** Runs that are to be over before the service is: a router's, or another transport's. */
export interface EndingRuns {
  /** How many there are. */
  readonly size: number;
  /** From now on no run begins. Resolves when the last one is over. */
  drain(): Promise<void>;
  /** Ends those that are left. */
  endAll(): void;
}

/** What is left after the grace period has this long to say so to its clients. */
const lastWordsMs = 3000;

/** What still keeps the process alive then is the host's, which has this long to close it. */
const lingerMs = 1500;

/**
 * The end of a service, in order: no run begins any more, servers take no more connections, runs that are under way get
 * their grace period and are then ended, and so is every connection that is left.
 */
export class Shutdown {
  readonly #graceMs: number;
  readonly #logger: Logger;
  readonly #runs: EndingRuns[] = [];
  readonly #servers: WatchedServer[] = [];
  readonly #over = Promise.withResolvers<void>();
  #hasBegun = false;

  constructor({ graceMs = 25_000, logger = createLogger({ level: "warn" }) }: ShutdownOptions) {
    this.#graceMs = checkDuration(graceMs, "graceMs");
    this.#logger = logger;
  }

  /** Resolves when the service has ended: the moment to close what it used, like its storage. */
  get finished(): Promise<void> {
    return this.#over.promise;
  }

  /** Has a server close when the service ends. To be called before it is asked for the first time. */
  attach(server: ClosableServer): this {
    const watched = new WatchedServer(server);
    this.#servers.push(watched);
    if (this.#hasBegun) void watched.close();
    return this;
  }

  /** Has runs end when the service does. A router that is given this shutdown adds its own. */
  add(runs: EndingRuns): this {
    this.#runs.push(runs);
    if (this.#hasBegun) void runs.drain();
    return this;
  }

  /**
   * Ends the service and then the process when SIGTERM or SIGINT comes. The process ends by itself as soon as it has nothing
   * left to do; what keeps it alive much longer is cut off. A second signal ends it at once, with exit code 1.
   */
  onSignals(): this {
    onEndSignals(() => {
      void this.begin().then(() => this.#linger());
    });
    return this;
  }

  /** Ends the service. Resolves when nothing of it is left, or its time is over; always the same promise. */
  begin(): Promise<void> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      void this.#end().finally(this.#over.resolve);
    }
    return this.#over.promise;
  }

  async #end(): Promise<void> {
    const drained = this.#runs.map((runs) => runs.drain());
    const closed = this.#servers.map((server) => server.close());
    const gone = Promise.all([...drained, ...closed]);
    if (await isDone(gone, this.#graceMs)) return;

    const left = this.#runs.reduce((sum, { size }) => sum + size, 0);
    if (left > 0) this.#logger.warn("Runs are ended: the service shuts down.", { runs: left });
    for (const runs of this.#runs) runs.endAll();
    if (await isDone(gone, lastWordsMs)) return;
    for (const server of this.#servers) server.force();
  }

  #linger(): void {
    setTimeout(() => {
      this.#logger.warn("Something keeps the process alive after the shutdown: it is ended.");
      process.exit();
    }, lingerMs).unref();
  }
}

async function isDone(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  return await withTimeout(
    work.then(() => true),
    { timeoutMs, onTimeout: () => false },
  );
}

/** Makes the shutdown of a service; nothing ends before it is begun, or a signal comes that it was told to listen to. */
export function createShutdown(options: ShutdownOptions = {}): Shutdown {
  checkOptionNames(options, ["graceMs", "logger"], "createShutdown");
  return new Shutdown(options);
}
