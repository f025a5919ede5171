import { describe, expect, it } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "../../agents/team/team.ts";
import { delegate } from "../../agents/team/test/teams.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import type { WorkflowStep } from "../../agents/workflow/workflow-step.ts";
import { readEvents, serveRuns, textOf, untilStatus } from "./test/services.ts";

type State = Record<string, unknown>;

/** A member that sends a message once it is approved, and what was sent. */
function sender() {
  const sent: unknown[] = [];
  const send = defineTool({
    name: "send",
    description: "Sends.",
    parameters: { type: "object" },
    needsApproval: true,
    execute: () => (sent.push("sent"), "sent"),
  });
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "It is sent." : { toolCalls: [{ name: "send", arguments: {} }] },
  );
  return { sent, agent: new Agent({ name: "ann", model, tools: [send] }) };
}

describe("RunService", () => {
  it("lets a team wait for the approval of a member's tool, and goes on in another service [team.durable]", async () => {
    const storage = new InMemoryStorage();
    const create = () => {
      const { agent, sent } = sender();
      const model = new ScriptedModel().respond(({ messages }) =>
        messages.some(({ role }) => role === "tool") ? "All done." : delegate("ann"),
      );
      return { sent, teams: { t: new Team({ name: "t", mode: "coordinate", model, members: [agent], storage }) } };
    };
    const first = create();
    const before = await serveRuns({ teams: first.teams, storage });
    const { runId, sessionId } = await before.accept({ kind: "team", name: "t", input: "Send it." });
    const { waits = [] } = await untilStatus(before, runId, "waiting");
    await before.close();

    const second = create();
    const after = await serveRuns({ teams: second.teams, storage });
    const other = await after.accept({ kind: "team", name: "t", input: "Again.", options: { sessionId } });
    await after.answer(runId, waits[0]?.id ?? "", { approved: true }, "host");
    const events = await readEvents(after, runId);

    expect(waits).toMatchObject([{ id: "t.0.0.run.c0.t.0.0", kind: "approval", about: { toolName: "send" } }]);
    expect(textOf(events)).toBe("All done.");
    expect([...first.sent, ...second.sent]).toEqual(["sent"]);
    expect(await untilStatus(after, other.runId, "error")).toMatchObject({ error: { code: "conflict", runId } });
    expect((await second.teams.t.sessions.readTurns(sessionId)).turns).toHaveLength(1);
  });

  it.each(["coordinate", "broadcast", "route"] as const)(
    "tells once that a team of mode %s calls its member, also when its run goes on after a wait [team.durable-events]",
    async (mode) => {
      const storage = new InMemoryStorage();
      const told: string[] = [];
      const create = () => {
        const model = new ScriptedModel().respond(({ messages }) => {
          const isAsked = messages.some(({ role }) => role === "tool");
          return mode === "coordinate" && !isAsked ? delegate("ann") : "All done.";
        });
        const t = new Team({ name: "t", mode, model, members: [sender().agent], storage });
        t.eventBus.on("tool.call", ({ toolName }) => void told.push(`call ${toolName}`));
        t.eventBus.on("tool.result", ({ toolName }) => void told.push(`result ${toolName}`));
        return { t };
      };
      const before = await serveRuns({ teams: create(), storage });
      const { runId } = await before.accept({ kind: "team", name: "t", input: "Send it." });
      const { waits = [] } = await untilStatus(before, runId, "waiting");
      await before.close();
      const after = await serveRuns({ teams: create(), storage });
      await after.answer(runId, waits[0]?.id ?? "", { approved: true }, "host");
      await untilStatus(after, runId, "completed");

      const member = "delegate_to_ann";
      expect(told.filter((event) => event.endsWith(member))).toEqual([`call ${member}`, `result ${member}`]);
    },
  );

  it("lets a run of a team with onWaiting cancel the one that waits in its session [team.on-waiting]", async () => {
    const storage = new InMemoryStorage();
    const { agent } = sender();
    const model = new ScriptedModel(delegate("ann"), "Something else.");
    const team = new Team({ name: "t", mode: "coordinate", model, members: [agent], storage, onWaiting: "cancel" });
    const service = await serveRuns({ teams: { t: team }, storage });
    const { runId, sessionId } = await service.accept({ kind: "team", name: "t", input: "Send it." });
    await untilStatus(service, runId, "waiting");

    const other = await service.accept({ kind: "team", name: "t", input: "Leave it.", options: { sessionId } });

    expect(await untilStatus(service, other.runId, "completed")).toMatchObject({ output: { text: "Something else." } });
    expect(await service.get(runId, "host")).toMatchObject({ status: "cancelled" });
  });

  it("asks about a workflow's function that was cut off, and finds steps that are gone [workflow.durable]", async () => {
    const storage = new InMemoryStorage();
    const { promise, resolve } = Promise.withResolvers<void>();
    const flow = (...steps: WorkflowStep<State>[]) => ({
      w: new Workflow<State>({ name: "w", initialState: {}, steps }),
    });
    const look: WorkflowStep<State> = { name: "look", effect: "pure", run: () => ({ seen: true }) };
    const before = await serveRuns({
      storage,
      workflows: flow(look, { name: "charge", run: async () => await new Promise<never>(() => resolve()) }),
    });
    const { runId } = await before.accept({ kind: "workflow", name: "w", input: {} });
    await promise;
    await before.close();

    const changed = await serveRuns({ storage, workflows: flow(look) });
    const gone = await untilStatus(changed, runId, "waiting");
    expect(gone.waits).toMatchObject([{ kind: "upgrade" }]);
    expect(JSON.stringify(gone.waits)).toContain("The step charge is gone.");
    await changed.close();

    const after = await serveRuns({ storage, workflows: flow(look, { name: "charge", run: () => ({ paid: false }) }) });
    for (;;) {
      const { waits = [] } = await untilStatus(after, runId, "waiting");
      if (waits[0]?.kind === "doubt") break;
      await new Promise((done) => setTimeout(done, 2));
    }
    await after.answer(runId, "w.charge.doubt", { choice: "happened", result: { paid: true } }, "host");

    expect(await untilStatus(after, runId, "completed")).toMatchObject({
      output: { state: { seen: true, paid: true }, status: "completed" },
    });
  });
});
