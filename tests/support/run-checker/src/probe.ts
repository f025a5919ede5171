import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** The resources of a process at one moment. */
export type Probe = {
  pid: number;
  /** Counts of resources: active handles of Node, file descriptors, listeners, and gauges of the process. */
  counts: Readonly<Record<string, number>>;
  rssBytes: number;
  heapBytes: number;
  /**
   * 99th percentile of the event loop delay in milliseconds since the previous probe, without the delay of an idle
   * loop.
   */
  eventLoopDelayP99Ms: number;
  /** Number of uncaught exceptions and rejections since the start. */
  uncaught: number;
  /** Number of warnings of too many listeners since the start. */
  listenerWarnings: number;
};

/** Counts that only the process under test knows: active runs, upstream sockets, locks, temporary files. */
export type Gauges = Readonly<Record<string, () => number>>;

const descriptors = "/proc/self/fd";
const resolutionMs = 5;

/** Takes probes of this process. It does not change how the process ends. */
export class ProcessProbe {
  readonly #gauges: Gauges;
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  #uncaught = 0;
  #listenerWarnings = 0;

  constructor(gauges: Gauges = {}) {
    this.#gauges = gauges;
    this.#delay.enable();
    process.on("uncaughtExceptionMonitor", this.#onUncaught);
    process.on("unhandledRejection", this.#onRejection);
    process.on("warning", this.#onWarning);
  }

  /** Returns the current counts. */
  take(): Probe {
    const { rss, heapUsed } = process.memoryUsage();
    const p99 = this.#delay.percentile(99) / 1e6 - resolutionMs;
    this.#delay.reset();
    return {
      pid: process.pid,
      counts: this.#counts(),
      rssBytes: rss,
      heapBytes: heapUsed,
      eventLoopDelayP99Ms: Math.max(0, p99),
      uncaught: this.#uncaught,
      listenerWarnings: this.#listenerWarnings,
    };
  }

  /** Removes the listeners of this probe. */
  stop(): void {
    this.#delay.disable();
    process.off("uncaughtExceptionMonitor", this.#onUncaught);
    process.off("unhandledRejection", this.#onRejection);
    process.off("warning", this.#onWarning);
  }

  #counts(): Record<string, number> {
    const counts: Record<string, number> = { "file descriptors": countDescriptors() };
    for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
    for (const name of process.eventNames()) counts[`listeners for ${String(name)}`] = process.listenerCount(name);
    for (const [name, gauge] of Object.entries(this.#gauges)) counts[name] = gauge();
    return counts;
  }

  readonly #onUncaught = (): void => {
    this.#uncaught += 1;
  };

  readonly #onRejection = (reason: unknown): void => {
    // Without another listener, the process must end as it would without this one.
    if (process.listenerCount("unhandledRejection") === 1) throw reason;
    this.#uncaught += 1;
  };

  readonly #onWarning = ({ name }: Error): void => {
    if (name === "MaxListenersExceededWarning") this.#listenerWarnings += 1;
  };
}

/** Returns the resources that have increased since a probe, by name. */
export function riseSince(before: Probe, after: Probe): Record<string, number> {
  const rises = Object.entries(after.counts).map(
    ([name, count]) => [name, count - (before.counts[name] ?? 0)] as const,
  );
  return Object.fromEntries(rises.filter(([, rise]) => rise > 0));
}

/** Probes until no resource is above `before`, or the time is over. Returns the last probe. */
export async function settled(
  take: () => Probe | Promise<Probe>,
  before: Probe,
  { withinMs = 2000 }: { withinMs?: number } = {},
): Promise<Probe> {
  const end = performance.now() + withinMs;
  let after = await take();
  while (Object.keys(riseSince(before, after)).length > 0 && performance.now() < end) {
    await sleep(50);
    after = await take();
  }
  return after;
}

/** Returns the number of open file descriptors, or 0 on systems without /proc. */
function countDescriptors(): number {
  try {
    return readdirSync(descriptors).length;
  } catch {
    return 0;
  }
}
