import { FakeVendor } from "@troupe-internal/vendor-fakes";
import Anthropic from "@anthropic-ai/sdk";
import { Agent } from "@troupe/core";
import type { ChatMessage, Json, RunOpts } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import type { AnthropicOptions } from "@troupe/providers-anthropic";
import { openai } from "@troupe/providers-openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { instructions, startGuide, tools } from "./guide.ts";

it("a round of many tool calls is found in the cache by the next one [cache.anthropic-marks]", async () => {
  const { vendor, agent } = await startGuide({ instructions });
  const calls = Array.from({ length: 12 }, (_, index) => ({ name: "look_up_rooms", arguments: { name: `${index}` } }));
  vendor.say({ toolCalls: calls }, { toolCalls: calls }, "All of them.");
  await agent.run("Which rooms are open?");

  const [first, second, third] = vendor.exchanges.map(({ billed }) => billed);
  expect(first?.cachedTokens).toBe(0);
  expect(second?.cachedTokens).toBe(first?.promptTokens);
  expect(third?.cachedTokens).toBe(second?.promptTokens);
});

it.each([true, false])(
  "a turn finds the turns before in the cache, after one of many tool calls, with thinking: %s [cache.anthropic-marks]",
  async (enabled) => {
    const { vendor, agent } = await startGuide({ instructions, reasoning: { enabled } });
    const toolCalls = Array.from({ length: 24 }, () => ({ name: "look_up_rooms", arguments: {} }));
    for (let turn = 0; turn < 3; turn += 1) {
      vendor.say({ toolCalls, ...(enabled && { thinking: "Which?" }) }, "All of them.");
      await agent.run("Which rooms are open?", { sessionId: "chat-1" });
    }

    const billed = vendor.exchanges.map((exchange) => exchange.billed);
    // The vendor's thoughts are not part of later turns, so these have the steps of the last turn in another form.
    const found = enabled ? [0, 2] : [1, 3];
    expect([2, 4].map((index) => billed[index]?.cachedTokens)).toEqual(
      found.map((index) => billed[index]?.promptTokens),
    );
    expect(JSON.stringify(vendor.exchanges[1]?.request.body).includes('"thinking","thinking"')).toBe(enabled);
  },
);

describe("a Claude model over the client of the SDK", () => {
  const messages: ChatMessage[] = [
    { role: "system", content: instructions },
    { role: "user", content: "Which rooms are open?" },
    { role: "assistant", content: "All." },
    { role: "user", content: "Which one has the picture?" },
  ];
  const short = { type: "ephemeral" };
  const rows: [
    title: string,
    vendor: { [field: string]: Json } | undefined,
    promptCache: AnthropicOptions["promptCache"],
  ][] = [
    ["no options", undefined, undefined],
    ["an hour", undefined, { ttl: "1h" }],
    ["no marks", undefined, false],
    ["a mark of the caller's own", { cache_control: short }, undefined],
    [
      "marks of the caller's own",
      { system: [{ type: "text", text: instructions, cache_control: short }] },
      { ttl: "1h" },
    ],
  ];

  /** Makes a model over our own HTTP, and one over the client, for a strict vendor. */
  async function startBoth(promptCache: AnthropicOptions["promptCache"]) {
    const vendor = await FakeVendor.start({ strict: true });
    onTestFinished(() => vendor.close());
    const client = new Anthropic({ apiKey: "key-1", baseURL: vendor.url });
    const own = anthropic("claude-opus-5-5", { apiKey: "key-1", baseURL: vendor.url, promptCache });
    return { vendor, models: [own, anthropic("claude-opus-5-5", { client, promptCache })] };
  }

  it.each(rows)(
    "sends the marks that our own HTTP sends: %s [cache.option] [cache.own-marks]",
    async (_, given, option) => {
      const { vendor, models } = await startBoth(option);
      vendor.respond(() => ({ answer: "Yes." }));
      const options = { tools: [{ name: "look", description: "", parameters: { type: "object" } }] };
      for (const model of models)
        await model.generate(messages, { ...options, ...(given !== undefined && { vendor: { anthropic: given } }) });

      const [own, ofClient] = vendor.exchanges.map(({ request }) => request.body);
      expect(ofClient).toEqual(own);
      expect(JSON.stringify(own).match(/cache_control/g)?.length ?? 0).toBe(option === false ? 0 : 4);
      expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    },
  );

  it("asks again without marks when its server refuses them, and sends no more [cache.refused]", async () => {
    const { vendor, models } = await startBoth(undefined);
    const failure = { status: 422, message: "system.0.cache_control: Extra inputs are not permitted" };
    vendor.plan({ failure }, { answer: "Yes." }, { answer: "No." });
    for (let call = 0; call < 2; call += 1) await models[1]?.generate(messages);

    const bodies = vendor.exchanges.map(({ request }) => JSON.stringify(request.body));
    expect(bodies.map((body) => body.includes("cache_control"))).toEqual([true, false, false]);
  });
});

describe("the cache key of requests to OpenAI", () => {
  /** Runs an agent twice in one session, with a tool call in the first run, and returns the cache keys that were sent. */
  async function keysOf(api: "responses" | "chat", opts: RunOpts, rules = { cacheKey: true }) {
    const vendor = await FakeVendor.start({ strict: true });
    onTestFinished(() => vendor.close());
    vendor.say({ toolCalls: [{ name: "look_up_rooms", arguments: {} }] }, "Four.", "Five.");
    const model = openai("gpt-4.1", { apiKey: "key-1", baseURL: `${vendor.url}/v1`, api, rules });
    const agent = new Agent({ name: "guide", model, tools });
    for (const question of ["Which room?", "And now?"]) await agent.run(question, opts);
    return vendor.exchanges.map(({ request }) => (request.body as { prompt_cache_key?: string }).prompt_cache_key);
  }

  it.each(["responses", "chat"] as const)("is one for a session, through %s [cache.session-key]", async (api) => {
    const keys = await keysOf(api, { sessionId: "chat-1", userId: "ada" });

    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it("differs between sessions, users, tenants and users that are not verified [cache.session-key]", async () => {
    const sessionId = "chat-1";
    const owners = [
      { userId: "ada" },
      { userId: "bob" },
      { userId: "ada", tenantId: "t1" },
      { userId: "ada", verified: false },
      {},
    ];
    const keys = await Promise.all(owners.map(async (owner) => (await keysOf("chat", { sessionId, ...owner }))[0]));
    keys.push((await keysOf("chat", { sessionId: "chat-2", userId: "ada" }))[0]);

    expect(new Set(keys).size).toBe(6);
  });

  it("is left out of runs without a session of their caller's, and for servers that may not know it [cache.session-key]", async () => {
    expect(await keysOf("chat", {})).toEqual([undefined, undefined, undefined]);
    expect(await keysOf("chat", { sessionId: "chat-1" }, {} as { cacheKey: true })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
