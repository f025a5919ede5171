import { describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
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
