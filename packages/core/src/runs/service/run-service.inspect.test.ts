import { describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "../../agents/agent/agent.ts";
import type { NotedModelCall } from "../../agents/run/run-steps.ts";
import { Team } from "../../agents/team/team.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns } from "./test/services.ts";

describe("a host that looks into runs", () => {
  it("reads of each step its result, and when it was called and done [durable.step-results]", async () => {
    const storage = new InMemoryStorage();
    const send = defineTool({
      name: "send",
      description: "Sends.",
      parameters: { type: "object" },
      execute: () => "It is sent.",
    });
    const agent = scriptedAgent([{ toolCalls: [{ name: "send", arguments: { to: "ann" } }] }, { text: "Done." }], {
      tools: [send],
    });
    const service = await serveRuns({ agents: { a: agent }, storage });
    const started = Date.now();
    const { runId } = await service.accept(request);
    const events = await readEvents(service, runId);

    const done = events.flatMap((event) => (event.type === "done" ? [event] : []));
    const model = done.find(({ step }) => step === "m/0");
    const tool = done.find(({ step }) => step === "t/0/0");
    expect(model?.value).toMatchObject({ response: { toolCalls: [{ name: "send" }] }, thinking: "" });
    expect(tool?.value).toMatchObject({ result: { toolName: "send", args: { to: "ann" }, result: "It is sent." } });
    const call = events.find((event) => event.type === "call");
    const times = [started, model?.at, call?.at, tool?.at, Date.now()];
    expect(times).not.toContain(undefined);
    expect(times).toEqual(times.toSorted((one = 0, other = 0) => one - other));
    expect(await readEvents(service, runId)).toEqual(events);
  });

  it("watches the model calls of this process as they are sent, those of members too, each under the key of its step", async () => {
    const member = new Agent({
      name: "m",
      instructions: "Be brief. é",
      model: new ScriptedModel({ text: "Rain." }, { text: "Rain again." }),
    });
    const desk = new Team({
      name: "t",
      mode: "coordinate",
      model: new ScriptedModel(
        { toolCalls: [{ name: "delegate_to_m", arguments: { task: "Weather?" } }] },
        { text: "Rain, says m." },
      ),
      members: [member],
    });
    const service = await serveRuns({ teams: { t: desk }, storage: new InMemoryStorage() });
    const calls: NotedModelCall[] = [];
    const stop = service.modelCalls.on("begin", (call) => void calls.push(call));
    const owners: unknown[] = [];
    service.modelCalls.on("begin", ({ owner }) => void owners.push(owner));
    service.modelCalls.on("begin", () => {
      throw new Error("A failing listener changes no run.");
    });
    const { runId } = await service.accept({ ...request, kind: "team", name: "t", owner: { userId: "ada" } });
    const done = (await readEvents(service, runId)).flatMap((event) => (event.type === "done" ? [event.step] : []));

    expect(owners).toEqual(calls.map(() => ({ userId: "ada" })));
    expect(calls.map(({ runId: of, step }) => [of, step])).toEqual([
      [runId, "m/0"],
      [runId, expect.stringMatching(/^t\/0\/0\/.*m\/0$/)],
      [runId, "m/1"],
    ]);
    expect(done).toEqual(expect.arrayContaining(calls.map(({ step }) => step)));
    expect(calls[0]?.tools().map(({ name }) => name)).toEqual(["delegate_to_m"]);
    expect(calls[1]?.messages()).toMatchObject([
      { role: "system", content: "Be brief. é" },
      { role: "user", content: "Weather?" },
    ]);
    expect(calls[2]?.messages().map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);

    stop();
    await readEvents(service, (await service.accept({ ...request, kind: "team", name: "t" })).runId);
    expect(calls).toHaveLength(3);
  });

  it("lists the runs of all users and of none, newest first, by pages and status [durable.list-all]", async () => {
    const service = makeService({ agents: { a: scriptedAgent([]) }, storage: new InMemoryStorage() });
    const owners = [{ userId: "ada" }, {}, { userId: "ben", tenantId: "north" }, { userId: "ada" }];
    const accepted: string[] = [];
    for (const owner of owners) {
      accepted.push((await service.accept({ ...request, owner, options: { sessionId: "s" } })).runId);
      const before = Date.now();
      // Runs of one millisecond are in the order of their ids.
      await vi.waitUntil(() => Date.now() > before, { interval: 1 });
    }
    const [first = ""] = accepted;
    await service.cancel(first, "host");

    const page = await service.list("host", { limit: 3 });
    const rest = await service.list("host", { limit: 3, after: page.next });

    expect([...page.runs, ...rest.runs].map(({ runId }) => runId)).toEqual(accepted.toReversed());
    expect(rest.next).toBeUndefined();
    expect((await service.list("host", { status: "cancelled" })).runs).toMatchObject([{ runId: first }]);
    expect((await service.list({ userId: "ada" })).runs.map(({ runId }) => runId)).toEqual([accepted[3], first]);
    await expect(service.list({})).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("reads the input of a run, however long it is, and no one else's [durable.read-input]", async () => {
    const service = makeService({ agents: { a: scriptedAgent([]) }, storage: new InMemoryStorage() });
    const owner = { userId: "ada" };
    const long = "x".repeat(40_000);
    for (const input of ["Hello.", long]) {
      const { runId } = await service.accept({ ...request, input, owner });

      expect(await service.readInput(runId, owner)).toBe(input);
      expect(await service.readInput(runId, "host")).toBe(input);
      await expect(service.readInput(runId, { userId: "eve" })).rejects.toMatchObject({ code: "not_found" });
    }
  });

  it("finds the steps of a workflow with the steps that they are in [workflow.planned-steps]", () => {
    const run = () => ({});
    const { plannedSteps } = new Workflow({
      name: "w",
      initialState: {},
      steps: [
        {
          name: "both",
          parallel: [
            { name: "one", run },
            { name: "two", condition: () => true, steps: [{ name: "in", run }] },
          ],
        },
        { name: "last", run },
      ],
    });

    expect(plannedSteps).toEqual([
      { name: "both", kind: "parallel" },
      { name: "one", kind: "function", within: "both" },
      { name: "two", kind: "condition", within: "both" },
      { name: "in", kind: "function", within: "two" },
      { name: "last", kind: "function" },
    ]);
  });
});
