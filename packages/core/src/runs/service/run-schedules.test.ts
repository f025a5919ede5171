import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { LocalEngine } from "../processes/run-engine.ts";
import type { EngineServeOptions, Perform, Schedule, Schedules, Serving } from "../processes/run-engine.ts";
import type { RunSchedule } from "./run-schedules.ts";
import { RunService } from "./run-service.ts";

/** A local engine with schedules, whose times fall due when the test says so. */
class ScheduleEngine extends LocalEngine {
  readonly kept = new Map<string, Schedule>();
  onSchedule: EngineServeOptions["onSchedule"];
  readonly schedules: Schedules = {
    put: async (schedule) => {
      if (schedule.cron === "wrong") throw new TroupeError("invalid_request", "This cron expression cannot be read.");
      this.kept.set(schedule.id, schedule);
    },
    remove: async (id) => void this.kept.delete(id),
    list: async () => [...this.kept.values()],
  };

  override async serve(perform: Perform, options: EngineServeOptions): Promise<Serving> {
    this.onSchedule = options.onSchedule;
    return await super.serve(perform, options);
  }
}

function service({ storage = new InMemoryStorage(), engine = new ScheduleEngine() } = {}) {
  const agent = new Agent({ name: "reporter", model: new ScriptedModel("Done.", "Done.", "Done.") });
  return { storage, engine, runs: new RunService({ storage, engine, agents: { reporter: agent } }) };
}

const daily: RunSchedule = {
  id: "daily",
  cron: "0 8 * * *",
  timeZone: "Europe/Oslo",
  request: { kind: "agent", name: "reporter", input: "Report." },
};

describe("RunService.schedules", () => {
  it("are absent with an engine that has none", () => {
    expect(new RunService().schedules).toBeUndefined();
  });

  it("begin one run at a due time that two processes are told of", async () => {
    const { storage, engine, runs } = service();
    const other = service({ storage });
    await runs.schedules?.put(daily);
    await runs.serve();
    await other.runs.serve();
    await Promise.all([engine.onSchedule?.("daily", 1000), other.engine.onSchedule?.("daily", 1000)]);
    await engine.onSchedule?.("daily", 1000);

    const ids = async () => new Set((await runs.list("host")).runs.map(({ runId }) => runId));
    expect((await ids()).size).toBe(1);
    await engine.onSchedule?.("daily", 2000);
    expect((await ids()).size).toBe(2);
    await runs.close();
    await other.runs.close();
  });

  it("give the engine their ids and times alone, and keep the request in the storage", async () => {
    const { storage, engine, runs } = service();
    await runs.schedules?.put(daily);

    expect([...engine.kept.values()]).toEqual([{ id: "daily", cron: "0 8 * * *", timeZone: "Europe/Oslo" }]);
    expect(await runs.schedules?.list()).toEqual([daily]);
    expect((await storage.list("run-schedules")).map(({ key }) => key)).toEqual(["daily"]);
  });

  it("fall due by universal time without a time zone", async () => {
    const { engine, runs } = service();
    const { timeZone: _, ...elsewhere } = daily;
    await runs.schedules?.put(elsewhere);

    expect([...engine.kept.values()]).toEqual([{ id: "daily", cron: "0 8 * * *", timeZone: "UTC" }]);
  });

  it("begin nothing once they are removed", async () => {
    const { engine, runs } = service();
    await runs.schedules?.put(daily);
    await runs.serve();
    await runs.schedules?.remove("daily");
    await engine.onSchedule?.("daily", 1000);

    expect((await runs.list("host")).runs).toEqual([]);
    expect(engine.kept.size).toBe(0);
    expect(await runs.schedules?.list()).toEqual([]);
    await runs.close();
  });

  it("are given to an engine that has lost them when it is served", async () => {
    const { engine, runs } = service();
    await runs.schedules?.put(daily);
    engine.kept.clear();
    await runs.serve();

    expect([...engine.kept.keys()]).toEqual(["daily"]);
    await runs.close();
  });

  it("are given to an engine that has lost them, or has them with other times, while it is served", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { engine, runs } = service();
    await runs.schedules?.put(daily);
    await runs.serve();
    engine.kept.clear();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([...engine.kept.keys()]).toEqual(["daily"]);
    engine.kept.set("daily", { id: "daily", everyMs: 1000 });
    await vi.advanceTimersByTimeAsync(10_000);

    expect(engine.kept.get("daily")).toEqual({ id: "daily", cron: "0 8 * * *", timeZone: "Europe/Oslo" });
    await runs.close();
  });

  it("are removed from an engine that still has one whose removal did not come to its end", async () => {
    const { engine, runs } = service();
    engine.kept.set("left", { id: "left", everyMs: 1000 });
    await runs.serve();
    await engine.onSchedule?.("left", 1000);

    expect([...engine.kept.keys()]).toEqual([]);
    await runs.close();
  });

  it.each([
    ["an unknown runnable", { request: { ...daily.request, name: "nobody" } }, "not_found"],
    ["a field that a schedule does not keep", { request: { ...daily.request, keys: {} } }, "invalid_request"],
    ["neither cron nor everyMs", { cron: undefined }, "invalid_request"],
    ["both cron and everyMs", { everyMs: 60_000 }, "invalid_request"],
    ["a time zone without cron", { cron: undefined, everyMs: 60_000 }, "invalid_request"],
    ["what the engine refuses", { cron: "wrong" }, "invalid_request"],
  ])("refuse %s, and keep nothing of it", async (_what, wrong, code) => {
    const { engine, runs } = service();

    await expect(runs.schedules?.put({ ...daily, ...wrong } as RunSchedule)).rejects.toMatchObject({ code });
    expect(await runs.schedules?.list()).toEqual([]);
    expect(engine.kept.size).toBe(0);
  });

  it("let the engine tell them again when the run could not be accepted", async () => {
    const { engine, runs } = service();
    await runs.schedules?.put(daily);
    await runs.serve();
    await runs.close();

    await expect(engine.onSchedule?.("daily", 1000)).rejects.toMatchObject({ code: "unavailable" });
  });
});
