import { createLogger, Team, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { RunView } from "@troupe/core/runs";
import { createService } from "@troupe/core/service";
import { readMessage, readRunFields } from "@troupe/core/transport";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scriptedAgent } from "../../test/serve-a2a.ts";
import { TaskRuns } from "./task-runs.ts";

const logger = createLogger({ level: "silent" });
const agent = scriptedAgent([]);
const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [scriptedAgent([])] });
const owner = { userId: "ada", tenantId: "t" };

/** Makes the tasks of a service whose host has a run service for these. */
function runsOf(named: { agents?: object; teams?: object }) {
  const service = new RunService(named as never);
  onTestFinished(async () => await service.close());
  const agents = { agent, other: scriptedAgent([{ text: "Rain." }]) };
  const served = createService({ agents, teams: { team }, runs: service, logger });
  onTestFinished(async () => await served.close());
  return { runs: new TaskRuns(served, ["team", "agent", "other"]), service };
}

const requested = () =>
  readRunFields(
    { input: "Hi" },
    {
      subject: "any",
      readInput: readMessage,
      principal: owner,
      bodyUserId: "unverified",
      readKeys: () => ({ apiKeys: {} }),
    },
  );

describe("a task of a service", () => {
  it("is stored in the host's run service, which has its agent or team, or else in memory", async () => {
    const { runs, service } = runsOf({ agents: { agent }, teams: { team } });
    await service.serve();
    const note = { a2a: [] };
    const [ofAgent, ofTeam, other] = [
      await runs.begin(requested(), { name: "agent", note }),
      await runs.begin(requested(), { name: "team", note }),
      await runs.begin(requested(), { name: "other", note }),
    ];
    expect(ofAgent).toMatchObject({ kind: "agent", name: "agent", isDurable: true, service });
    expect(ofTeam).toMatchObject({ kind: "team", name: "team", isDurable: true, service });
    expect(other).toMatchObject({ kind: "agent", name: "other", isDurable: false });
    expect(other.service).not.toBe(service);
    expect(runs.services).toEqual([other.service, service]);
    expect(await other.view()).toMatchObject({ note, name: "other" });
  });

  it("is of the agents and teams in their order", () => {
    expect([...runsOf({ agents: { agent } }).runs.agents.keys()]).toEqual(["team", "agent", "other"]);
  });

  it("may not be of an agent and a team under the same name", () => {
    const served = createService({ agents: { agent }, teams: { agent: team } });
    onTestFinished(async () => await served.close());
    expect(() => new TaskRuns(served, ["agent", "agent"])).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining('share the name "agent"') }),
    );
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
      const found = await runs.find("r", owner);
      expect(found.view).toEqual({ ...view, kind });
      expect(found.run).toMatchObject({ service, runId: "r", kind, caller: owner });
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
