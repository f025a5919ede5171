import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { RunService } from "../../runs/service/run-service.ts";
import { createService } from "./service.ts";
import type { ServiceOptions } from "./service-options.ts";

type Line = { level: string; message: string } & Record<string, unknown>;

/** A service of one agent, with the lines of its log. */
function serve(options: ServiceOptions = {}) {
  const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => ({ text: "Hello." })) });
  const lines: Line[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => lines.push(JSON.parse(line) as Line) });
  const service = createService({ agents: { helper }, logger, ...options });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return { service, helper, lines };
}

/** A durable service, with its run service. */
function serveDurable(options: ServiceOptions = {}) {
  const { service, ...rest } = serve({ storage: new InMemoryStorage(), durable: true, ...options });
  if (service.runs === undefined) throw new Error("The service is not durable.");
  return { service, own: service.runs, ...rest };
}

/** A part of a service that notes what its end does to it. */
function part(done: string[], drain: () => Promise<void> = async () => {}) {
  return {
    size: 0,
    drain: async () => {
      done.push("drain");
      await drain();
    },
    endAll: () => void done.push("endAll"),
  };
}

describe("a service that is opened", () => {
  it("performs its durable runs in this process, once however many servers open it", async () => {
    const { service, own } = serveDurable();
    const performed = vi.spyOn(own, "serve");
    await service.open();
    await Promise.all([service.open(), service.open()]);

    expect(performed.mock.calls).toEqual([[]]);
    const { runId } = await own.accept({ kind: "agent", name: "helper", input: "Hi." });
    await expect.poll(async () => (await own.get(runId, "host")).status).toBe("completed");
  });

  it("performs nothing where perform is false", async () => {
    const { service, own } = serveDurable({ durable: { perform: false } });
    const performed = vi.spyOn(own, "serve");
    await service.open();

    expect(performed).not.toHaveBeenCalled();
  });

  it("performs nothing of a run service that the host has made", async () => {
    const { helper } = serve();
    const runs = new RunService({ agents: { helper } });
    onTestFinished(async () => await runs.close());
    const performed = vi.spyOn(runs, "serve");
    await serve({ agents: { helper }, runs }).service.open();

    expect(performed).not.toHaveBeenCalled();
  });

  it("can be opened again after a failure, which every caller gets, and logs each warning once then", async () => {
    const { service, own, helper, lines } = serveDurable();
    const failure = new Error("No engine.");
    const performed = vi.spyOn(own, "serve").mockRejectedValueOnce(failure);
    const opened = await Promise.allSettled([service.open(), service.open()]);
    expect(opened).toEqual([1, 2].map(() => ({ status: "rejected", reason: failure })));
    await service.open();
    await service.open();

    expect(performed).toHaveBeenCalledTimes(2);
    warn(helper);
    expect(lines).toMatchObject([{ level: "warn", message: "Look." }]);
  });

  it("logs the warnings of what it serves from then on, until its end", async () => {
    const { service, helper, lines } = serve();
    warn(helper);
    expect(lines).toEqual([]);
    await service.open();
    await service.open();
    warn(helper);
    expect(lines).toMatchObject([{ level: "warn", message: "Look.", code: "x", runId: "r" }]);
    await service.close();
    warn(helper);
    expect(lines).toHaveLength(1);
  });
});

function warn({ eventBus }: Agent): void {
  eventBus.emit("run.warning", { code: "x", message: "Look.", runId: "r" });
}

describe("the end of a service", () => {
  it("waits for its runs, then for the titles of its sessions, then closes the run service that it has made", async () => {
    const { service, own } = serveDurable();
    const order: string[] = [];
    const note = (what: string) => async () => {
      await new Promise(setImmediate);
      order.push(what);
    };
    vi.spyOn(service.servedRuns, "drain").mockImplementationOnce(note("runs"));
    vi.spyOn(service.sessions, "flush").mockImplementationOnce(note("titles"));
    const closed = vi.spyOn(own, "close").mockImplementationOnce(note("run service"));
    await Promise.all([service.close(), service.close()]);

    expect(order).toEqual(["runs", "titles", "run service"]);
    expect(await service.closed).toBeUndefined();
    await service.close();
    expect(closed).toHaveBeenCalledOnce();
    await own.close();
  });

  it("leaves the run service of the host open", async () => {
    const { helper } = serve();
    const runs = new RunService({ agents: { helper } });
    onTestFinished(async () => await runs.close());
    const closed = vi.spyOn(runs, "close");
    const drained = vi.spyOn(runs, "drain");
    await serve({ agents: { helper }, runs }).service.close();

    expect([drained.mock.calls.length, closed.mock.calls.length]).toEqual([1, 0]);
  });

  it("closes its run service also where its runs and titles could not be ended, and logs the first failure", async () => {
    const { service, own, lines } = serveDurable();
    service.servedRuns.afterRuns(async () => await Promise.reject(new Error("No files.")));
    const flushed = vi.spyOn(service.sessions, "flush").mockRejectedValueOnce(new Error("No titles."));
    const closed = vi.spyOn(own, "close");
    await service.close();

    expect([flushed.mock.calls, closed.mock.calls]).toEqual([[[]], [[]]]);
    const message = "A part of the service could not be ended in order. The others are.";
    expect(lines).toMatchObject([{ level: "error", message, error: { message: "No files." } }]);
  });

  it("ends the active runs and the titles after the grace period, and says how many there were", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { service, lines } = serve();
    const over = Promise.withResolvers<void>();
    vi.spyOn(service.servedRuns, "drain").mockImplementationOnce(async () => await over.promise);
    vi.spyOn(service.servedRuns, "size", "get").mockReturnValue(3);
    const ended = vi.spyOn(service.servedRuns, "endAll").mockImplementationOnce(over.resolve);
    const flushed = vi.spyOn(service.sessions, "flush");
    const closed = service.close({ graceMs: 10 });
    await vi.advanceTimersByTimeAsync(9);
    expect([ended.mock.calls, flushed.mock.calls, lines]).toEqual([[], [], []]);
    await vi.advanceTimersByTimeAsync(1);
    await closed;

    expect([ended.mock.calls.length, flushed.mock.calls]).toEqual([1, [[0], []]]);
    expect(lines).toMatchObject([
      { level: "warn", message: "Active runs are ended: the service shuts down.", runs: 3 },
    ]);
  });

  it("ends what was added to it, also what is added once it has begun", async () => {
    const { service } = serve();
    const [early, late]: [string[], string[]] = [[], []];
    const over = Promise.withResolvers<void>();
    expect(service.add(part(early, async () => await over.promise))).toBe(service);
    const closed = service.close();
    service.add(part(late));
    over.resolve();
    await closed;

    expect([early, late]).toEqual([["drain"], ["drain"]]);
  });

  it("closes the servers that were attached to it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { service } = serve();
    expect(service.attach(server)).toBe(service);
    await service.close();

    expect(server.listening).toBe(false);
  });

  it("is refused with a wrong option, each time, and then has not begun", async () => {
    const { service } = serve();
    const message = "drainMs must be at most graceMs, 1, got 2: the listener closes with the last run.";
    await expect(service.close({ graceMs: 1, drainMs: 2 })).rejects.toMatchObject({ code: "invalid_config", message });
    expect(service.servedRuns.isDraining).toBe(false);
    await service.close();

    await expect(service.close({ x: 1 } as never)).rejects.toMatchObject({
      message: 'Unknown option "x" of service.close. Expected graceMs or drainMs.',
    });
  });
});
