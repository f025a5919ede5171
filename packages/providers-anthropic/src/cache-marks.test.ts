import type { ChatMessage } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelCallOptions } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";
import { addCacheMarks } from "./cache-marks.ts";
import type { MarkableBody } from "./cache-marks.ts";
import type { PromptCache } from "./options.ts";

const toolOf = (name: string) => ({ name, description: "", parameters: { type: "object", properties: {} } });
const tools = [toolOf("look"), toolOf("cache_control")];
const call = { id: "c1", name: "look", arguments: { cache_control: "no mark" } };
const history: ChatMessage[] = [
  { role: "system", content: "Be short." },
  { role: "system", content: "Ada likes rain." },
  { role: "user", content: "Umbrella?" },
  { role: "assistant", content: "Let me look.", toolCalls: [call] },
  { role: "tool", toolCallId: "c1", content: "rain" },
  { role: "assistant", content: "Yes." },
  {
    role: "user",
    content: [
      { type: "text", text: "And" },
      { type: "text", text: "now?" },
    ],
  },
];

/** Returns the places of the marks in a body, with their times where they have one. */
function marksOf(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const { type, ttl } = (inner ?? {}) as { type?: unknown; ttl?: string };
    if (key === "cache_control" && type === "ephemeral") return [`${at}${ttl === undefined ? "" : ` ${ttl}`}`];
    return marksOf(inner, at === "" ? key : `${at}.${key}`);
  });
}

/** Sends a call of a model that does not think unless it is asked to. */
async function sent(options: ModelCallOptions, promptCache?: PromptCache, messages = history) {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  await connect("claude-opus-4-8", { promptCache }).generate(messages, options);
  return { marks: marksOf(bodiesOf(vendor)[0]).toSorted(), body: bodiesOf(vendor)[0] };
}

describe("a request to Claude", () => {
  it("has marks behind the instructions, the tools and the last two messages of the user [cache.anthropic-marks]", async () => {
    const { marks, body } = await sent({ tools });

    expect(marks).toEqual(["messages.2.content.0", "messages.4.content.1", "system.0", "tools.1"]);
    expect(body?.["system"]).toMatchObject([{ text: "Be short." }, { text: "Ada likes rain." }]);
  });

  it.each<[string, ModelCallOptions]>([
    ["is asked to think", { reasoning: { enabled: true } }],
    ["always thinks", {}],
    ["thinks by the caller's own field", { vendor: { anthropic: { thinking: { type: "adaptive" } } } }],
  ])(
    "marks the message that began the turn before, and within a turn the last one, when the model %s [cache.anthropic-marks]",
    async (title, options) => {
      const modelId = title === "always thinks" ? "claude-opus-5-5" : "claude-opus-4-8";
      const placesOf = async (messages: ChatMessage[]) => {
        const { vendor, connect } = await startVendor({ strict: false });
        vendor.say("Yes.");
        await connect(modelId).generate(messages, { tools, ...options });
        return marksOf(bodiesOf(vendor)[0]).filter((place) => place.startsWith("messages"));
      };

      expect(await placesOf(history)).toEqual(["messages.0.content.0", "messages.4.content.1"]);
      expect(await placesOf(history.slice(0, 5))).toEqual(["messages.0.content.0", "messages.2.content.0"]);
    },
  );

  it("has marks where there is something to mark, and behind messages where another call may follow [cache.anthropic-marks]", async () => {
    expect((await sent({}, undefined, [{ role: "user", content: "Hi" }])).marks).toEqual([]);
    expect((await sent({ cacheKey: "s" }, undefined, [{ role: "user", content: "Hi" }])).marks).toEqual([
      "messages.0.content.0",
    ]);
    expect((await sent({ tools }, undefined, [{ role: "user", content: "Hi" }])).marks).toEqual([
      "messages.0.content.0",
      "tools.1",
    ]);
  });

  it("has no marks with promptCache false, and an hour for tools and instructions alone [cache.option]", async () => {
    const { marks, body } = await sent({ tools }, false);

    expect(marks).toEqual([]);
    expect(body?.["system"]).toBe("Be short.\n\nAda likes rain.");
    expect((await sent({ tools }, { ttl: "1h" })).marks).toEqual([
      "messages.2.content.0",
      "messages.4.content.1",
      "system.0 1h",
      "tools.1 1h",
    ]);
  });

  it.each([true, {}, { ttl: "2h" }, "5m", null])("refuses promptCache %j [cache.option]", async (promptCache) => {
    const { connect } = await startVendor();

    expect(() => connect(undefined, { promptCache: promptCache as PromptCache })).toThrow(/promptCache/);
  });
});

describe("a server that refuses cache marks", () => {
  const refusal = {
    failure: { status: 400, message: "messages.0.content.0.cache_control: Extra inputs are not permitted" },
  };

  it.each(["generate", "stream"] as const)(
    "gets the request again without them, and later ones too: %s [cache.refused]",
    async (kind) => {
      const { vendor, connect } = await startVendor();
      vendor.plan(refusal, { answer: "Yes." }, { answer: "No." });
      const omitted: string[] = [];
      const model = connect();
      const options: ModelCallOptions = { onOmitted: ({ what }) => void omitted.push(what) };
      for (let count = 0; count < 2; count += 1)
        await (kind === "generate"
          ? model.generate(history, options)
          : collectResponse(model.stream(history, options)));

      expect(bodiesOf(vendor).map((body) => marksOf(body).length)).toEqual([4, 0, 0]);
      expect(omitted).toEqual(["promptCache"]);
    },
  );

  it.each([
    [400, { detail: [{ type: "extra_forbidden", loc: ["body", "system", 0, "cache_control"], msg: "Extra inputs" }] }],
    [422, { detail: [{ type: "extra_forbidden", loc: ["body", "system", 0, "cache_control"], msg: "Extra inputs" }] }],
    [422, { error: { message: "cache_control: unknown field" } }],
    [400, { error: "Unrecognized request argument supplied: cache_control" }],
  ])("is understood in the words of any server: %i %j [cache.refused]", async (status, body) => {
    const { vendor, connect } = await startVendor();
    const headers = { "content-type": "application/json" };
    vendor.plan({ raw: { status, headers, frames: [JSON.stringify(body)] } }, { answer: "Yes." });

    expect((await connect().generate(history)).text).toBe("Yes.");
    expect(bodiesOf(vendor).map((each) => marksOf(each).length)).toEqual([4, 0]);
  });

  it.each([400, 403, 429])("is not what another refusal says: %i [cache.refused]", async (status) => {
    const { vendor, connect } = await startVendor();
    const message = status === 400 ? "max_tokens: too large" : "cache_control is not part of your plan";
    vendor.plan({ failure: { status, message } });

    await expect(connect().generate(history)).rejects.toMatchObject({ name: "ModelError" });
    expect(vendor.exchanges).toHaveLength(1);
  });

  it("is asked once more at most, and marks stay when that does not help [cache.refused]", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan(refusal, refusal, { answer: "Yes." });
    const model = connect();

    await expect(model.generate(history)).rejects.toMatchObject({ name: "ModelError" });
    await model.generate(history);
    expect(bodiesOf(vendor).map((body) => marksOf(body).length)).toEqual([4, 0, 4]);
  });
});

it("the caller's own tools stay as they are, call after call [cache.own-marks]", async () => {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.", "Yes.");
  const vendorTools = [{ type: "web_search_20250305", name: "web_search" }];
  const model = connect();
  for (let count = 0; count < 2; count += 1)
    await model.generate([{ role: "user", content: "Hi" }], { vendor: { anthropic: { tools: vendorTools } } });

  expect(vendorTools).toEqual([{ type: "web_search_20250305", name: "web_search" }]);
  expect(bodiesOf(vendor).map((body) => marksOf(body))).toEqual([
    ["messages.0.content.0", "tools.0"],
    ["messages.0.content.0", "tools.0"],
  ]);
});

describe("marks beside those of the caller's", () => {
  const short = { cache_control: { type: "ephemeral" } };
  const long = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const said = (...blocks: object[]) => blocks.map((block) => ({ type: "text", text: "a", ...block }));
  const body = () => ({
    tools: [{ name: "look" }, { name: "gaze" }],
    system: said({}, {}),
    messages: [
      { role: "user", content: said({}) },
      { role: "assistant", content: said({}) },
      { role: "user", content: said({}, {}) },
    ],
  });

  it.each<[string, { ttl: "5m" | "1h" }, object, string[]]>([
    [
      "one on a tool",
      { ttl: "5m" },
      { tools: [{ name: "web", ...short }] },
      ["messages.0.content.0", "messages.2.content.1", "system.0", "tools.2"],
    ],
    [
      "two in the system prompt",
      { ttl: "5m" },
      { system: said(short, short) },
      ["messages.0.content.0", "messages.2.content.1", "system.0", "system.1"],
    ],
    [
      "three",
      { ttl: "5m" },
      { system: said(short, short, short) },
      ["messages.2.content.1", "system.0", "system.1", "system.2"],
    ],
    [
      "four",
      { ttl: "5m" },
      { system: said(short, short, short, short) },
      ["system.0", "system.1", "system.2", "system.3"],
    ],
    ["one for the whole prompt", { ttl: "5m" }, short, ["", "messages.0.content.0", "system.0", "tools.1"]],
    ["a long one for the whole prompt", { ttl: "5m" }, long, [" 1h"]],
    [
      "a short one before our long ones",
      { ttl: "1h" },
      { tools: [{ name: "web", ...short }, { name: "code" }] },
      ["messages.0.content.0", "messages.2.content.1", "system.0", "tools.2"],
    ],
    [
      "a long one behind our short ones",
      { ttl: "5m" },
      { messages: [{ role: "user", content: said(long) }] },
      ["messages.0.content.0 1h"],
    ],
    [
      "a long one behind our long ones",
      { ttl: "1h" },
      { messages: [{ role: "user", content: said(long) }] },
      ["messages.0.content.0 1h", "system.0 1h", "tools.1 1h"],
    ],
    [
      "a schema with such a property",
      { ttl: "5m" },
      { tools: [{ name: "web", input_schema: short }] },
      ["messages.0.content.0", "messages.2.content.1", "system.0", "tools.2"],
    ],
  ])(
    "leave room for theirs and keep the vendor's order: %s [cache.own-marks]",
    (...[, promptCache, given, expected]) => {
      const own = body();
      const joined = { ...own, ...given, tools: [...own.tools, ...((given as { tools?: object[] }).tools ?? [])] };
      const request = structuredClone(joined) as unknown as MarkableBody;
      addCacheMarks(request, promptCache, { given: given as Record<string, unknown> });
      const marks = marksOf({
        ...request,
        tools: request.tools?.map(({ input_schema: __, ...tool }: object & { input_schema?: unknown }) => tool),
      });

      expect(marks.toSorted()).toEqual(expected);
    },
  );
});
