import { createLogger, Team, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { Runnable } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scriptedAgent } from "../../test/serve-a2a.ts";
import { TaskRuns } from "./task-runs.ts";

const logger = createLogger({ level: "silent" });
const agent = scriptedAgent([]);
const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [scriptedAgent([])] });
const owner = { userId: "ada", tenantId: "t" };

/** Makes the tasks of a server whose host has a service for these. */
function runsOf(named: { agents?: object; teams?: object }, onRunsOver?: () => Promise<void>) {
  const service = new RunService(named as never);
  onTestFinished(async () => await service.close());
  const agents = new Map<string, Runnable>([
    ["agent", agent],
    ["team", team],
    ["other", scriptedAgent([])],
  ]);
  return { runs: new TaskRuns({ agents, runs: service, logger, onRunsOver }), service };
}

describe("the service of the runs of an agent", () => {
  it("is the host's for those that it has under their names, as agents or as teams, and one in memory for others", () => {
    const { runs, service } = runsOf({ agents: { agent }, teams: { team } });
    expect(runs.of("agent")).toMatchObject({ kind: "agent", name: "agent", isDurable: true, mustExist: false });
    expect(runs.of("team")).toMatchObject({ kind: "team", name: "team", isDurable: true });
    expect(runs.of("agent").service).toBe(service);
    expect(runs.of("team").service).toBe(service);
    const other = runs.of("other");
    expect(other).toMatchObject({ kind: "agent", name: "other", isDurable: false });
    expect(other.service).not.toBe(service);
    expect(runs.of("other").service).toBe(other.service);
    expect(other.key).toBeUndefined();
  });

  it("performs a team as an agent, where the host's service does not have it", () => {
    expect(runsOf({ agents: { agent } }).runs.of("team")).toMatchObject({ kind: "agent", isDurable: false });
  });

  it("may not have another agent under the same name", () => {
    expect(() => runsOf({ agents: { agent: scriptedAgent([]) } })).toThrow(
      expect.objectContaining({ code: "invalid_config" }),
    );
  });

  it("is waited for, with what is to be done when all runs are over", async () => {
    const onRunsOver = vi.fn<() => Promise<void>>(async () => await Promise.resolve());
    const { runs } = runsOf({ agents: { agent } }, onRunsOver);
    await runs.served.drain();
    expect(onRunsOver).toHaveBeenCalledTimes(1);
  });
});

describe("a task by its id", () => {
  const view: RunView = {
    runId: "r",
    kind: "agent",
    name: "agent",
    sessionId: "s",
    status: "running",
    createdAt: 1,
    attempts: 1,
  };
  const refusal = {
    kind: "task-not-found",
    message: "Task not found. It may have been removed, or belong to another user.",
  };

  it.each(["agent", "team"] as const)(
    "is the run of an %s, with the service that has it, for its caller",
    async (kind) => {
      const { runs, service } = runsOf({ agents: { agent } });
      const get = vi.spyOn(service, "get").mockResolvedValue({ ...view, kind });
      expect(await runs.find("r", owner)).toEqual({ service, run: { ...view, kind } });
      expect(get.mock.calls).toEqual([["r", owner]]);
    },
  );

  it("is not that of a workflow", async () => {
    const { runs, service } = runsOf({ agents: { agent } });
    vi.spyOn(service, "get").mockResolvedValue({ ...view, kind: "workflow" });
    await expect(runs.find("r", owner)).rejects.toMatchObject(refusal);
  });

  it("is not found where no service has it", async () => {
    await expect(runsOf({ agents: { agent } }).runs.find("r", owner)).rejects.toMatchObject(refusal);
  });

  it("fails as its storage does", async () => {
    const { runs, service } = runsOf({ agents: { agent } });
    const away = new TroupeError("storage_unavailable", "Away.");
    vi.spyOn(service, "get").mockRejectedValue(away);
    await expect(runs.find("r", owner)).rejects.toBe(away);
  });
});
