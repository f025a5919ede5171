import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TestChild } from "@troupe-internal/fault-tools";
import { ProcessProbe, riseSince, settled } from "./probe.ts";
import type { Probe } from "./probe.ts";

const probes: ProcessProbe[] = [];
afterEach(() => probes.splice(0).forEach((probe) => probe.stop()));

function start(gauges: Record<string, () => number> = {}): ProcessProbe {
  const probe = new ProcessProbe(gauges);
  probes.push(probe);
  return probe;
}

describe("ProcessProbe", () => {
  it("counts sockets, timers, listeners and gauges up and down", async () => {
    let runs = 0;
    const probe = start({ "live runs": () => runs });
    const before = probe.take();
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const timer = setTimeout(() => {}, 600_000);
    const listen = (): void => {};
    process.on("beforeExit", listen);
    runs = 2;

    const during = riseSince(before, probe.take());
    expect(during).toMatchObject({ TCPServerWrap: 1, "listeners for beforeExit": 1, "live runs": 2 });
    expect(during["Timeout"]).toBeGreaterThanOrEqual(1);

    server.close();
    clearTimeout(timer);
    process.off("beforeExit", listen);
    runs = 0;
    const after = riseSince(before, await settled(() => probe.take(), before));
    expect(after).not.toHaveProperty("TCPServerWrap");
    expect(after).not.toHaveProperty("live runs");
    expect(after).not.toHaveProperty("listeners for beforeExit");
  });

  it("measures how long the event loop was blocked", async () => {
    const probe = start();
    // Repeated, because the monitor can miss a block while the machine is busy.
    await vi.waitFor(
      async () => {
        probe.take();
        await new Promise((resolve) => setTimeout(resolve, 20));
        const end = performance.now() + 150;
        while (performance.now() < end);
        await new Promise((resolve) => setTimeout(resolve, 20));

        expect(probe.take().eventLoopDelayP99Ms).toBeGreaterThan(100);
      },
      { timeout: 10_000 },
    );
  });

  it("counts warnings of too many listeners", async () => {
    const probe = start();
    const warn = Object.assign(new Error("11 listeners"), { name: "MaxListenersExceededWarning" });
    process.emit("warning", warn);
    process.emit("warning", Object.assign(new Error("old"), { name: "DeprecationWarning" }));

    expect(probe.take().listenerWarnings).toBe(1);
  });

  it("leaves no listener after stop", () => {
    const before = process.listenerCount("uncaughtExceptionMonitor") + process.listenerCount("warning");
    new ProcessProbe().stop();

    expect(process.listenerCount("uncaughtExceptionMonitor") + process.listenerCount("warning")).toBe(before);
  });
});

describe("ProcessProbe in a child process", () => {
  const file = new URL("./test/probed-child.ts", import.meta.url);

  it("counts uncaught errors when the service handles them", async () => {
    const child = await TestChild.start(file, { args: ["listening"] });
    const isProbe = (message: unknown): message is Probe => typeof message === "object";
    await vi.waitFor(async () => {
      const probe = child.next(isProbe);
      child.send({ take: true });
      expect(await probe).toMatchObject({ pid: child.pid, uncaught: 2 });
    });
    await child.close();
  });

  it("lets the process end on an unhandled rejection", async () => {
    const child = await TestChild.start(file);

    expect(await child.exit).toEqual({ code: 1, signal: null });
    await vi.waitFor(() => expect(child.output.toString()).toContain("a rejection"), { timeout: 10_000 });
    await child.close();
  });
});

describe("settled", () => {
  it("gives up after its time and returns the last probe", async () => {
    const quiet: Probe = start().take();
    const busy = { ...quiet, counts: { ...quiet.counts, locks: 1 } };
    const after = await settled(() => busy, quiet, { withinMs: 60 });

    expect(riseSince(quiet, after)).toEqual({ locks: 1 });
  });
});
