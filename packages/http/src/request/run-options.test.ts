import { Agent, defineTool, Team, TroupeError, Workflow } from "@troupe/core";
import type { RunContext } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { ServiceRequest } from "@troupe/core/service";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { serve } from "../../test/serve.ts";

/** An agent that calls a tool, with the contexts that the tool and the options that the model received. */
function watched() {
  const contexts: RunContext[] = [];
  const look = defineTool({
    name: "look",
    description: "Looks.",
    parameters: { type: "object", properties: {} },
    execute: (_, context) => {
      contexts.push(context);
      return "Seen.";
    },
  });
  const model = new ScriptedModel().respond(({ messages }) => {
    return messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [{ name: "look" }] };
  });
  const agent = new Agent({ name: "a", model, tools: [look] });
  const lead = new ScriptedModel().respond(({ messages }) => {
    if (messages.at(-1)?.role === "tool") return "Done.";
    return { toolCalls: [{ name: "delegate_to_a", arguments: { task: "Look." } }] };
  });
  const team = new Team({ name: "t", mode: "coordinate", model: lead, members: [agent] });
  const workflow = new Workflow({ name: "w", initialState: {}, steps: [{ name: "ask", agent }] });
  return { contexts, model, lead, served: { agents: { a: agent }, teams: { t: team }, workflows: { w: workflow } } };
}

const paths = [
  "agents/a/run",
  "agents/a/stream",
  "teams/t/run",
  "teams/t/stream",
  "workflows/w/run",
  "workflows/w/stream",
];

const signIn: RequestHandler = (request, _, next) => {
  const { "x-test-user": userId } = request.headers;
  if (userId !== undefined) Object.assign(request, { principal: { userId } });
  next();
};

/** Serves a hanging model, so that only a limit ends its runs. */
async function serveHanging(options: Parameters<typeof serve>[0]) {
  const model = new ScriptedModel().respond(() => ({ text: "One", hang: true }));
  return await serve({ agents: { a: new Agent({ name: "a", model }) }, ...options });
}

describe("runOptions", () => {
  it.each(paths)(
    "gives the metadata and model options of its request to the run of /%s [http.run-options]",
    async (path) => {
      const { contexts, model, lead, served } = watched();
      const runOptions = (request: ServiceRequest) => ({
        metadata: { plan: request.headers.get("x-plan") },
        modelOptions: { temperature: request.headers.get("x-plan") === "one" ? 0.1 : 0.2 },
      });
      const service = await serve({ ...served, runOptions });

      for (const plan of ["one", "two"]) {
        expect((await service.post(`/${path}`, { input: "x" }, { "x-plan": plan })).status).toBe(200);
      }

      expect(contexts.map(({ metadata }) => metadata)).toEqual([{ plan: "one" }, { plan: "two" }]);
      // Those of a team are for its orchestrator.
      const asked = path.startsWith("teams") ? lead : model;
      const temperatures = asked.calls.map(({ options }) => options.temperature);
      expect([temperatures[0], temperatures.at(-1)]).toEqual([0.1, 0.2]);
    },
  );

  it.each(["run", "stream"])(
    "sets the limits of a run of /%s, which the client cannot change [http.run-options]",
    async (mode) => {
      const service = await serveHanging({ runOptions: () => ({ limits: { durationMs: 50 } }) });

      const { text } = await service.post(`/agents/a/${mode}`, { input: "x" });
      const raised = await service.post(`/agents/a/${mode}`, { input: "x", limits: { durationMs: 100_000 } });

      expect(text).toContain("limit_exceeded");
      expect(raised).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
    },
  );

  it.each(["agents/a/run", "agents/a/stream"])(
    "gives the run of /%s its model, instructions and tools, and no body does [http.run-options-own]",
    async (path) => {
      const { contexts, model, served } = watched();
      const other = new ScriptedModel().respond(() => "Other.");
      const smell = defineTool({
        name: "smell",
        description: "Smells.",
        parameters: { type: "object" },
        execute: () => "x",
      });
      const own = { model: other, instructions: "Of the request.", tools: [smell] };
      const service = await serve({
        ...served,
        runOptions: (request) => (request.headers.get("x-plan") === "own" ? own : {}),
      });

      expect((await service.post(`/${path}`, { input: "x" }, { "x-plan": "own" })).text).toContain("Other.");
      expect((await service.post(`/${path}`, { input: "x" })).text).toContain("Done.");

      expect([contexts.length, model.calls.length, other.calls.length]).toEqual([1, 2, 1]);
      expect(other.calls[0]).toMatchObject({
        messages: [
          { role: "system", content: "Of the request." },
          { role: "user", content: "x" },
        ],
        options: { tools: [{ name: "smell" }] },
      });
      for (const field of ["model", "instructions", "tools", "modelOptions"]) {
        const refused = await service.post(`/${path}`, { input: "x", [field]: "x" });

        expect(refused).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
        expect(refused.text).toContain(`Unknown field \\"${field}\\"`);
      }
    },
  );

  it("answers wrong model, instructions and tools as a fault of the service [http.run-options-own]", async () => {
    const { served } = watched();
    for (const wrong of [
      { model: "gpt" },
      { instructions: 1 },
      { tools: [{ name: "bad name" }] },
      { tools: () => [] },
    ]) {
      const service = await serve({ ...served, runOptions: () => wrong as never });

      expect(await service.post("/agents/a/run", { input: "x" })).toMatchObject({ status: 500 });
    }
  });

  it("refuses an unknown model setting, and vendor options that are no JSON, as a fault of the service [model-options.unknown] [model-options.vendor]", async () => {
    const { model, served } = watched();
    for (const modelOptions of [
      { temprature: 1 },
      { vendor: { openai: { at: new Date() } } },
      { vendor: { openai: 1 } },
    ]) {
      const service = await serve({ ...served, runOptions: () => ({ modelOptions: modelOptions as object }) });

      expect(await service.post("/agents/a/run", { input: "x" })).toMatchObject({ status: 500 });
    }
    expect(model.calls).toEqual([]);
  });

  it("sends a generic key of the client to the vendor of the agent alone [run-opts.model-key]", async () => {
    class OtherModel extends ScriptedModel {
      override readonly providerId = "other";
    }
    const other = new OtherModel().respond(() => "Other.");
    const { served } = watched();
    const service = await serve({ ...served, runOptions: () => ({ model: other }) });

    await service.post("/agents/a/run", { input: "x", apiKey: "key-of-body" });
    await service.post("/agents/a/run", { input: "x" }, { "x-api-key": "key-of-header" });

    expect(other.calls.map(({ options }) => options.apiKey)).toEqual([undefined, undefined]);
  });

  it("may return a promise, or undefined for no options", async () => {
    const { contexts, served } = watched();
    const runOptions = async (request: ServiceRequest) => {
      await Promise.resolve();
      return request.headers.get("x-plan") === null ? undefined : { metadata: { plan: "x" } };
    };
    const service = await serve({ ...served, runOptions });

    await service.post("/agents/a/run", { input: "x" }, { "x-plan": "x" });
    await service.post("/agents/a/run", { input: "x" });

    expect(contexts.map(({ metadata }) => metadata)).toEqual([{ plan: "x" }, {}]);
  });

  it("is called once for each run, behind the middleware, and for no other request", async () => {
    const users: unknown[] = [];
    const { served } = watched();
    const runOptions = (request: ServiceRequest) => {
      users.push(request.principal?.userId);
      return {};
    };
    const service = await serve({ ...served, runOptions, middleware: [signIn] });
    const ada = { "x-test-user": "ada" };

    await service.post("/agents/a/run", { input: "x" }, ada);
    await service.ask("/sessions", { headers: ada });
    await service.ask("/agents");
    await service.post("/agents/none/run", { input: "x" }, ada);
    await service.post("/runs/none/cancel", {}, ada);
    await service.post("/workflows/w/stream", { input: "x" });

    expect(users).toEqual(["ada", undefined]);
  });

  it("leaves what it returned as it is, and the runs apart", async () => {
    const { contexts, served } = watched();
    const shared = Object.freeze({ metadata: Object.freeze({ plan: "x" }), limits: Object.freeze({}) });
    const service = await serve({ ...served, runOptions: () => shared });

    await service.post("/agents/a/run", { input: "x", sessionId: "one" });
    await service.post("/agents/a/run", { input: "x", sessionId: "two" });

    expect(contexts.map(({ sessionId, metadata }) => [sessionId, metadata])).toEqual([
      ["one", { plan: "x" }],
      ["two", { plan: "x" }],
    ]);
  });

  const thrown: [string, () => unknown, number, string][] = [
    ["a TroupeError", () => new TroupeError("forbidden", "Not on your plan."), 403, "forbidden"],
    ["another error", () => new Error("sk-secret at /srv"), 500, "internal"],
    [
      "an error of http-errors",
      () => Object.assign(new Error("Pay."), { status: 403, expose: true }),
      403,
      "forbidden",
    ],
    ["a string", () => "sk-secret", 500, "internal"],
  ];
  it.each(thrown)(
    "runOptions that throws or rejects with %s ends the request with it [http.run-options-error]",
    async (_, ...[make, status, code]) => {
      const { model, served } = watched();
      const throwing = (): never => {
        throw make();
      };
      const rejecting = async (): Promise<never> => await Promise.reject(make());

      for (const runOptions of [throwing, rejecting]) {
        const service = await serve({ ...served, runOptions });
        for (const path of paths) {
          const answer = await service.post(`/${path}`, { input: "x" });
          expect(answer).toMatchObject({ status, json: { error: { code } } });
          expect(answer.text).not.toContain("sk-secret");
        }
        expect(service.lines).toHaveLength(status === 500 ? paths.length : 0);
      }
      expect(model.calls).toEqual([]);
    },
  );

  it.each<[string, unknown, string]>([
    ["a string", "fast", "runOptions(request) must be an object, got a string."],
    ["null", null, "runOptions(request) must be an object, got null."],
    [
      "a user",
      { userId: "eve" },
      'Unknown option "userId" of runOptions(request). Expected metadata, limits, modelOptions, model, instructions or tools.',
    ],
    ["metadata that is no object", { metadata: "x" }, "runOptions(request).metadata must be an object, got a string."],
    ["a negative limit", { limits: { durationMs: -1 } }, "runOptions(request).limits.durationMs must be"],
    ["an unknown limit", { limits: { tokens: 1 } }, 'Unknown option "tokens" of runOptions(request).limits.'],
    [
      "an unknown model option",
      { modelOptions: { seeed: 1 } },
      'Unknown option "seeed" of runOptions(request).modelOptions.',
    ],
  ])(
    "that returns %s is a fault of the service, told in its log [http.run-options-error]",
    async (_, returned, message) => {
      const { model, served } = watched();
      const service = await serve({ ...served, runOptions: () => returned as object });

      const { status, json, text } = await service.post("/agents/a/run", { input: "x" });

      expect([status, json]).toMatchObject([500, { error: { code: "invalid_config" } }]);
      expect(text).not.toContain("runOptions");
      expect(JSON.parse(service.lines.join(""))).toMatchObject({ level: "error" });
      expect(service.lines.join("").replaceAll("\\", "")).toContain(message);
      expect(model.calls).toEqual([]);
    },
  );

  it("must be a function", async () => {
    await expect(serve({ runOptions: { metadata: {} } as never })).rejects.toThrow(
      "runOptions must be a function, got an object.",
    );
  });
});
