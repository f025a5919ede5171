import { Agent, createLogger, defineTool, fallbackModel, InMemoryStorage, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { performRun, serveRuns } from "../../test/runs.ts";
import { servePage, usersByHeader } from "../../test/serve-page.ts";
import type { InspectorOptions } from "./inspector-routes.ts";

const execute = vi.fn<() => string>(() => "Rain, 9 °C.");
const look = defineTool({
  name: "look",
  description: "Looks something up.",
  parameters: { type: "object", properties: { place: { type: "string" } } },
  execute,
});

/** Storage that writes down all calls of its methods. */
function storageThatTells(told: string[]): InMemoryStorage {
  return new Proxy(new InMemoryStorage(), {
    get: (storage, name) => {
      const value: unknown = Reflect.get(storage, name, storage);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        told.push(JSON.stringify([String(name), args]));
        return Reflect.apply(value, storage, args);
      };
    },
  });
}

/** Serves the inspector with a run of ada, and returns a function that makes its second model call again. */
async function inspect(options: Partial<InspectorOptions> = {}, question = "Weather in Tromsø?") {
  execute.mockClear();
  const model = new ScriptedModel(
    { toolCalls: [{ id: "1", name: "look", arguments: { place: "Tromsø" } }] },
    { text: "It rains." },
  );
  const guide = new Agent({
    name: "guide",
    instructions: "Be brief.",
    model,
    tools: [look],
    modelOptions: { temperature: 0.2, reasoning: { enabled: true, effort: "low" } },
  });
  const other = new ScriptedModel().respond(() => ({
    text: "It pours.",
    thinking: "Hm.",
    toolCalls: [{ id: "2", name: "look", arguments: { place: "Alta" } }],
  }));
  const told: string[] = [];
  const runs = await serveRuns({ agents: { guide }, storage: storageThatTells(told) });
  const inspector = { modelCalls: true, authorize: () => true, models: { other }, runs, ...options };
  const logger = createLogger({ level: "debug", write: (line) => void told.push(line) });
  const origin = await servePage({ inspector, logger }, usersByHeader);
  const runId = await performRun(runs, { kind: "agent", name: "guide", input: question, owner: { userId: "ada" } });
  const url = `${origin}/inspector/runs/${runId}`;
  const again = async (body: unknown, { step = "m/1", headers = {} } = {}) => {
    const sent = { "content-type": "application/json", "x-user": "ada", ...headers };
    const path = `${url}/model-call?step=${encodeURIComponent(step)}`;
    const response = await fetch(path, { method: "POST", headers: sent, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  const details = async () =>
    (await (await fetch(url, { headers: { "x-user": "ada" } })).json()) as { models?: readonly string[] };
  return { again, details, guide, other, runs, runId, told, url };
}

const invalid = { status: 400, body: { error: { code: "invalid_request" } } };

describe("a model call that is made again", () => {
  it("sends what was sent to an offered model, calls no tool, and stores nothing [page.inspector-again]", async () => {
    const { again, details, other, runs } = await inspect();
    const before = await runs.list("host");
    const answer = await again({ model: "other" });

    expect((await details()).models).toEqual(["other"]);
    expect(answer).toEqual({
      status: 200,
      body: {
        model: "scripted-1",
        text: "It pours.",
        thinking: "Hm.",
        calls: [{ tool: "look", args: { place: "Alta" } }],
        usage: expect.objectContaining({ totalTokens: 15 }),
        durationMs: expect.any(Number),
      },
    });
    expect(execute).toHaveBeenCalledTimes(1);
    expect(await runs.list("host")).toEqual(before);
    expect(other.calls[0]?.messages).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather in Tromsø?" },
      { role: "assistant", toolCalls: [{ id: "1", name: "look", arguments: { place: "Tromsø" } }] },
      { role: "tool", content: "Rain, 9 °C." },
    ]);
    expect(other.calls[0]?.options).toMatchObject({
      temperature: 0.2,
      reasoning: { enabled: true, effort: "low" },
      tools: [{ name: "look", description: "Looks something up.", parameters: look.parameters }],
    });
  });

  it("is made with the caller's key, counts as the usage of the caller, and keeps the key nowhere [page.inspector-again]", async () => {
    const { again, guide, other, runs, runId, told, url } = await inspect();
    const key = "sk-canary-0123456789";
    const billed: unknown[] = [];
    guide.eventBus.on("model.result", (event) => void billed.push({ type: "model.result", ...event }));
    guide.eventBus.on("run.complete", (event) => void billed.push({ type: "run.complete", ...event }));
    const headers = { "x-user": "ben", "x-scripted-api-key": key, "x-else-api-key": `${key}-else` };
    const answer = await again({ model: "other" }, { headers });
    await again({ model: "other" });

    expect(other.calls.map(({ options }) => options?.apiKey)).toEqual([key, undefined]);
    const usage = expect.objectContaining({ totalTokens: 15 }) as unknown;
    expect(billed).toMatchObject([
      { type: "model.result", userId: "ben", providerId: "scripted", attempt: 1, usage },
      { type: "run.complete", userId: "ben", output: { text: "It pours.", usage } },
      { type: "model.result", userId: "ada" },
      { type: "run.complete", userId: "ada" },
    ]);
    const shown = await (await fetch(`${url}/model-call?step=m%2F1`, { headers: { "x-user": "ada" } })).json();
    const events = await Array.fromAsync(runs.events(runId, "host"));
    expect(told.length).toBeGreaterThan(0);
    expect(JSON.stringify([answer, billed, told, shown, events, await runs.list("host")])).not.toContain("sk-canary");
  });

  it("gives a model that calls others the keys of their vendors, and counts each of its calls", async () => {
    const first = new ScriptedModel().respond(() => {
      throw new TroupeError("model_failed", "Out of order.");
    });
    const second = new ScriptedModel().respond(() => "It pours.");
    const other = fallbackModel(first, second);
    const { again, guide } = await inspect({ models: { other } });
    const billed: unknown[] = [];
    guide.eventBus.on("model.result", ({ userId, error, usage }) => {
      billed.push([userId, error?.code, usage?.totalTokens]);
    });
    const answer = await again({ model: "other" }, { headers: { "x-scripted-api-key": "sk-1" } });

    expect(answer).toMatchObject({ status: 200, body: { text: "It pours." } });
    expect([first, second].map(({ calls }) => calls[0]?.options?.apiKey)).toEqual(["sk-1", "sk-1"]);
    expect(billed).toEqual([
      ["ada", "model_failed", undefined],
      ["ada", undefined, 15],
    ]);
  });

  it("fails as the model does, without the key that the model quotes, and without words of an exception", async () => {
    const key = "sk-canary-0123456789";
    const refusing = new ScriptedModel().respond(({ options }) => {
      throw new Error(`The key ${options?.apiKey} was refused.`);
    });
    const { again, told } = await inspect({ models: { other: refusing } });
    const answer = await again({ model: "other" }, { headers: { "x-scripted-api-key": key } });

    expect(answer).toMatchObject({ status: 500, body: { error: { code: "internal" } } });
    expect(told.some((line) => line.includes("was refused"))).toBe(true);
    expect(JSON.stringify([answer, told])).not.toContain("sk-canary");
  });

  it("has the given system prompt in place of its own, and none if it is empty", async () => {
    const { again, other } = await inspect();
    await again({ model: "other", system: "Be long." });
    await again({ model: "other", system: "" });

    expect(other.calls.map(({ messages }) => messages[0])).toMatchObject([
      { role: "system", content: "Be long." },
      { role: "user", content: "Weather in Tromsø?" },
    ]);
  });

  it("is refused to all but those whom authorize names, and to pages of other sites", async () => {
    const { again, details, other } = await inspect({ authorize: () => false });

    expect(await details()).not.toHaveProperty("models");
    expect(await again({ model: "other" })).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    const open = await inspect();
    const elsewhere = { origin: "https://elsewhere.test", "sec-fetch-site": "cross-site" };
    expect(await open.again({ model: "other" }, { headers: elsewhere })).toMatchObject({ status: 403 });
    expect([other.calls, open.other.calls]).toEqual([[], []]);
  });

  it.each([
    [{ model: "__proto__" }, { status: 404 }],
    [{ model: "else" }, { status: 404 }],
    [{}, invalid],
    [{ model: 1 }, invalid],
    [{ model: "other", system: 1 }, invalid],
    [{ model: "other", tools: [] }, invalid],
  ])("is refused with the body %j", async (body, expected) => {
    const { again, other } = await inspect();

    expect(await again(body)).toMatchObject(expected);
    expect(other.calls).toEqual([]);
  });

  it("is refused for a call that is not kept, or not as a whole", async () => {
    const { again } = await inspect();
    const long = await inspect({}, `Weather? ${"é ".repeat(30_000)}`);

    expect(await again({ model: "other" }, { step: "m/9" })).toMatchObject({ status: 404 });
    expect(await long.again({ model: "other" })).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
  });

  it("is no route of an inspector without models", async () => {
    const { again, details } = await inspect({ models: {} });

    expect(await details()).not.toHaveProperty("models");
    expect((await again({ model: "other" })).status).toBe(405);
  });
});
