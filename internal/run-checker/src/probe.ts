import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** What one process holds and has gone through. */
export type Probe = {
  pid: number;
  /** How many there are of each thing: what Node keeps alive, file descriptors, listeners, and what the process counts itself. */
  counts: Readonly<Record<string, number>>;
  rssBytes: number;
  heapBytes: number;
  /** Since the probe before this one, over what a quiet loop takes. */
  eventLoopDelayP99Ms: number;
  /** Since the start: exceptions and rejections that nobody caught. */
  uncaught: number;
  /** Since the start: emitters that warned of too many listeners. */
  listenerWarnings: number;
};

/** What only the process under test can count: live runs, upstream sockets, locks, temporary files. */
export type Gauges = Readonly<Record<string, () => number>>;

const descriptors = "/proc/self/fd";
const resolutionMs = 5;

/** Takes probes in a process that is under test. It changes nothing of how the process ends. */
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

  /** What there is now. */
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

  /** Takes nothing more. */
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
    // Without a listener of the service's own, the process ends as it would have without this one.
    if (process.listenerCount("unhandledRejection") === 1) throw reason;
    this.#uncaught += 1;
  };

  readonly #onWarning = ({ name }: Error): void => {
    if (name === "MaxListenersExceededWarning") this.#listenerWarnings += 1;
  };
}

/** What there is more of than before, by name. */
export function riseSince(before: Probe, after: Probe): Record<string, number> {
  const rises = Object.entries(after.counts).map(
    ([name, count]) => [name, count - (before.counts[name] ?? 0)] as const,
  );
  return Object.fromEntries(rises.filter(([, rise]) => rise > 0));
}

/** Probes until everything is back to what it was, or the time is over; gives the last probe. */
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

/** Systems that do not tell have none. */
function countDescriptors(): number {
  try {
    return readdirSync(descriptors).length;
  } catch {
    return 0;
  }
}
