import { Agent, defineTool } from "@troupe/core";
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
  const runs = await serveRuns({ agents: { guide } });
  const inspector = { modelCalls: true, authorize: () => true, models: { other }, runs, ...options };
  const origin = await servePage({ inspector }, usersByHeader);
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
  return { again, details, other, runs };
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
