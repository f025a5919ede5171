import { Agent, defineTool, EventBus } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { office, performRun, serveRuns } from "../../test/runs.ts";
import { servePage, usersByHeader } from "../../test/serve-page.ts";
import type { InspectedModelCall, InspectedRunDetails } from "./inspected-run.ts";
import type { InspectorOptions } from "./inspector-routes.ts";
import { ModelCalls } from "./model-calls.ts";
import type { Noted } from "./model-calls.ts";

const look = defineTool({
  name: "look",
  description: "Looks something up.",
  effect: "pure",
  parameters: { type: "object", properties: { place: { type: "string" } } },
  execute: () => "Rain, 9 °C.",
});

function guide(): Agent {
  const model = new ScriptedModel(
    { toolCalls: [{ id: "1", name: "look", arguments: { place: "Tromsø" } }] },
    { text: "It rains." },
  );
  const modelOptions = { temperature: 0.2, maxTokens: 50 };
  return new Agent({ name: "guide", instructions: "Be brief. é", model, tools: [look], modelOptions });
}

/** Serves the inspector with a run of ada, and returns a function that asks for a path below that run. */
async function inspect(options: Omit<InspectorOptions, "runs">, { apiKey }: { apiKey?: string } = {}) {
  const agent = guide();
  const runs = await serveRuns({ agents: { guide: agent }, sealKeys: ["a secret of at least 32 characters"] });
  const origin = await servePage({ inspector: { ...options, runs } }, usersByHeader);
  const runId = await performRun(runs, {
    kind: "agent",
    name: "guide",
    input: "Weather in Tromsø?",
    owner: { userId: "ada" },
    ...(apiKey !== undefined && { keys: { apiKey } }),
  });
  const ask = async (path: string, user?: string): Promise<{ status: number; body: Body }> => {
    const headers: Record<string, string> = user === undefined ? {} : { "x-user": user };
    const response = await fetch(`${origin}/inspector/runs/${runId}${path}`, { headers });
    const text = await response.text();
    return { status: response.status, body: (text.startsWith("{") ? JSON.parse(text) : text) as Body };
  };
  return { ask };
}

type Body = Partial<InspectedModelCall & InspectedRunDetails>;

const callOf = (step: string) => `/model-call?step=${encodeURIComponent(step)}`;

describe("the model calls in the inspector", () => {
  it("have the system prompt, the messages, the tools and the settings as they were sent, and no key [page.inspector-calls]", async () => {
    const apiKey = "canary-key-0123456789";
    const { ask } = await inspect({ modelCalls: true, authorize: () => true }, { apiKey });
    const { body: first } = await ask(callOf("m/0"));
    const { body: second } = await ask(callOf("m/1"));

    expect(first).toEqual({
      providerId: expect.any(String),
      modelId: expect.any(String),
      isStream: true,
      settings: { temperature: 0.2, maxTokens: 50 },
      system: ["Be brief. é"],
      messages: [{ role: "user", content: "Weather in Tromsø?" }],
      tools: [{ name: "look", description: "Looks something up.", parameters: look.parameters }],
    });
    expect(second.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", toolCalls: [{ name: "look", arguments: { place: "Tromsø" } }] },
      { role: "tool", content: "Rain, 9 °C." },
    ]);
    expect(JSON.stringify([first, second])).not.toContain("canary");
    expect((await ask("")).body.hasModelCalls).toBe(true);
  });

  it("are shown to those whom authorize names alone", async () => {
    const { ask } = await inspect({ modelCalls: true, authorize: () => false });

    expect((await ask("", "ada")).body).not.toHaveProperty("hasModelCalls");
    expect(await ask(callOf("m/0"), "ada")).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    expect(await ask(callOf("m/0"), "ben")).toMatchObject({ status: 403 });
    expect(await ask(callOf("m/0"))).toMatchObject({ status: 401 });
  });

  it("are shown to programs on this machine without authorize, but not those of another user's run", async () => {
    const { ask } = await inspect({ modelCalls: true });

    expect(await ask(callOf("m/0"), "ada")).toMatchObject({ status: 200 });
    expect(await ask(callOf("m/0"), "ben")).toMatchObject({ status: 404 });
    expect(await ask(callOf("m/0"))).toMatchObject({ status: 200 });
  });

  it.each(["m/2", "m/0 ", "", "t/0/0", "__proto__"])(
    "the model calls in the inspector of the step %j are not found",
    async (step) => {
      const { ask } = await inspect({ modelCalls: true });

      expect(await ask(callOf(step))).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    },
  );

  it("are neither kept nor shown unless the host says so", async () => {
    const { ask } = await inspect({ authorize: () => true });

    expect((await ask("")).body).not.toHaveProperty("hasModelCalls");
    expect((await ask(callOf("m/0"))).status).toBe(404);
  });

  it("the model calls in the inspector of a team's members are found under the keys of their steps", async () => {
    const runs = await serveRuns({ teams: { office: office("route") } });
    const calls = new ModelCalls(runs);
    const keys: string[] = [];
    runs.modelCalls.on("begin", ({ step }) => void keys.push(step));
    const runId = await performRun(runs, { kind: "team", name: "office", input: "Write." });

    expect(keys.length).toBeGreaterThan(1);
    for (const key of keys) expect(calls.find(runId, key)).toContain('"messages":[');
  });
});

describe("the memory of model calls", () => {
  const call = (step: string, text: string, { runId = "r", owner = {} } = {}): Noted => ({
    runId,
    step,
    owner,
    model: { providerId: "p", modelId: "m" },
    isStream: false,
    settings: {},
    messages: () => [{ role: "user", content: text }],
    tools: () => [],
  });
  const lengthOf = (text: string): number => {
    const modelCalls = new EventBus<{ begin: Noted }>();
    const calls = new ModelCalls({ modelCalls });
    modelCalls.emit("begin", call("s", text));
    return calls.find("r", "s")?.length ?? 0;
  };

  it("holds the newest calls up to its bound, and a repeated call once", () => {
    const modelCalls = new EventBus<{ begin: Noted }>();
    const calls = new ModelCalls({ modelCalls }, lengthOf("one") * 2);
    const known = () => ["a", "b", "c"].filter((step) => calls.find("r", step) !== undefined);
    modelCalls.emit("begin", call("a", "one"));
    modelCalls.emit("begin", call("b", "two"));
    expect(known()).toEqual(["a", "b"]);
    modelCalls.emit("begin", call("a", "six"));
    expect(known()).toEqual(["a", "b"]);
    expect(calls.find("r", "a")).toContain("six");
    modelCalls.emit("begin", call("c", "ten"));
    expect(known()).toEqual(["a", "c"]);
    modelCalls.emit("begin", call("b", "more"));
    expect(known()).toEqual(["b"]);
    expect(calls.find("other", "b")).toBeUndefined();
  });

  it("takes the room of the caller who has most, and never all that another one has", () => {
    const modelCalls = new EventBus<{ begin: Noted }>();
    const calls = new ModelCalls({ modelCalls }, lengthOf("one") * 4);
    const [ada, bob, guest] = [{ userId: "ada" }, { userId: "bob", tenantId: "é" }, {}];
    const note = (runId: string, step: string, owner: object) =>
      modelCalls.emit("begin", call(step, "one", { runId, owner }));
    const known = () =>
      ["a", "b", "g"].flatMap((runId) =>
        ["1", "2", "3", "4", "5"].flatMap((step) => (calls.find(runId, step) === undefined ? [] : [runId + step])),
      );
    note("a", "1", ada);
    note("g", "1", guest);
    for (const step of ["1", "2", "3", "4", "5"]) note("b", step, bob);
    expect(known()).toEqual(["a1", "b4", "b5", "g1"]);
    for (const step of ["2", "3", "4"]) note("a", step, ada);

    expect(known()).toEqual(["a4", "b4", "b5", "g1"]);
    note("g", "2", guest);
    expect(known()).toEqual(["a4", "b4", "b5", "g2"]);
  });

  it("keeps little of a long message, and no whole file", () => {
    expect(lengthOf("word ".repeat(100_000))).toBeLessThan(61_000);
    expect(lengthOf("A".repeat(1_000_000))).toBeLessThan(1000);
  });

  it("holds no call that alone is too long", () => {
    const modelCalls = new EventBus<{ begin: Noted }>();
    const calls = new ModelCalls({ modelCalls }, lengthOf("one") - 1);
    modelCalls.emit("begin", call("a", "one"));

    expect(calls.find("r", "a")).toBeUndefined();
  });
});
