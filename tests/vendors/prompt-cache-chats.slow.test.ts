import type { TokenUsage } from "@troupe/core";
import { Agent, InMemoryStorage, InMemoryVectorStore, KnowledgeBase, Memory, Team, UserMemory } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { instructions, readsOf, startClaude, startGuide, tools } from "./guide.ts";

/** Answers a team's orchestrator with a delegation or a choice where it may make one, and everything else with a text. */
function teamAnswer(body: string) {
  if (body.includes('"member"')) return '{"member":"keeper"}';
  const mayDelegate = body.includes("delegate_to_keeper") && !body.includes('"tool_result"');
  return mayDelegate ? { toolCalls: [{ name: "delegate_to_keeper", arguments: { task: "Look." } }] } : "In room four.";
}

describe("a chat of ten turns with Claude", () => {
  it.each([
    ["tools and instructions", { instructions }, 2900],
    ["tools, without instructions", {}, 1400],
  ])("reads %s from the cache each time, while the facts change [cache.changing-facts]", async (_, config, least) => {
    const userMemory = new UserMemory({ enabled: false });
    const { vendor, agent } = await startGuide({ ...config, userMemory });
    const before = (turn: number) => userMemory.addFacts("ada", [`Has seen picture ${turn}.`]);
    const { reads, bodies } = await readsOf({ runnable: agent, vendor, before });

    for (const [turn, body] of bodies.entries()) expect(body).toContain(`- Has seen picture ${turn}.`);
    expect(reads[0]).toBe(0);
    for (const read of reads.slice(1)) expect(read).toBeGreaterThan(least);
  });

  it("reads tools and instructions from the cache each time, while the summaries of a memory change [cache.changing-facts]", async () => {
    const summarizer: ScriptedModel = new ScriptedModel().respond(() => `Summary ${summarizer.calls.length}.`);
    const memory = new Memory({ maxShortTermMessages: 4, enableLongTerm: true, model: summarizer });
    const { vendor, agent } = await startGuide({ instructions, memory });
    const { reads, bodies } = await readsOf({ runnable: agent, vendor });

    expect(new Set(bodies.flatMap((body) => body.match(/Summary \d/g) ?? [])).size).toBeGreaterThan(2);
    for (const read of reads.slice(1)) expect(read).toBeGreaterThan(2900);
  });

  it("reads tools and instructions from the cache each time, while its knowledge grows [cache.changing-facts]", async () => {
    const knowledge = new KnowledgeBase({
      name: "pictures",
      vectorStore: new InMemoryVectorStore({ embeddings: new FakeEmbeddings() }),
    });
    const { vendor, agent } = await startGuide({ instructions, tools: [...tools, knowledge.asTool({ topK: 10 })] });
    const search = { toolCalls: [{ name: "search_pictures", arguments: { query: "room" } }] };
    const before = async (turn: number) => {
      await knowledge.add({ id: `${turn}`, content: `Picture ${turn} hangs in room ${turn}.` });
      vendor.say(search, "There.");
    };
    const { bodies } = await readsOf({ runnable: agent, vendor, before });

    expect(bodies.at(-1)).toContain("Picture 7 hangs");
    const [first, ...later] = vendor.exchanges.map(({ billed }) => billed);
    expect(later.map((usage) => usage?.cachedTokens)).toEqual(
      [first, ...later.slice(0, -1)].map((usage) => usage?.promptTokens),
    );
  });

  it("reads tools and instructions from the cache each time, when a source gives its tools in any order [cache.tool-order]", async () => {
    let turns = 0;
    const source = { getTools: async () => (turns++ % 2 === 0 ? tools : tools.toReversed()) };
    const { vendor, agent } = await startGuide({ instructions, tools: [source] });
    const { reads } = await readsOf({ runnable: agent, vendor });

    for (const read of reads.slice(1)) expect(read).toBeGreaterThan(2900);
  });

  it.each(["coordinate", "route", "broadcast", "collaborate"] as const)(
    "reads what a team and its members are told from the cache each time, in mode %s [cache.changing-facts]",
    async (mode) => {
      const { vendor, model } = await startClaude(({ request }) => ({
        answer: teamAnswer(JSON.stringify(request.body)),
      }));
      const memberOf = (name: string) =>
        new Agent({ name, description: name, model, tools, instructions: `You are ${name}. ${instructions}` });
      const members = [memberOf("painter"), memberOf("keeper")];
      const team = new Team({ name: "museum", mode, model, members, instructions });
      await readsOf({ runnable: team, vendor, turns: 1 });
      const first = vendor.exchanges.length;
      await readsOf({ runnable: team, vendor, turns: 9 });

      const reads = vendor.exchanges.slice(first).map(({ billed }) => billed?.cachedTokens ?? 0);
      expect(reads.length).toBeGreaterThanOrEqual(18);
      expect(Math.min(...reads)).toBeGreaterThan(1400);
    },
  );

  it("reads the whole conversation before from the cache when nothing changes [cache.anthropic-marks]", async () => {
    const { vendor, agent } = await startGuide({ instructions });
    const { reads } = await readsOf({ runnable: agent, vendor });

    expect(reads).toEqual([...new Set(reads)].toSorted((one, other) => one - other));
  });
});

it("what a team's calls read from the cache and wrote to it is in its output, events and stored turn [usage.cache-writes]", async () => {
  const { vendor, model } = await startClaude(({ request }) => ({ answer: teamAnswer(JSON.stringify(request.body)) }));
  const keeper = new Agent({ name: "keeper", description: "keeper", model, tools, instructions });
  const storage = new InMemoryStorage();
  const team = new Team({ name: "museum", mode: "coordinate", model, members: [keeper], instructions, storage });
  const seen: (TokenUsage | undefined)[] = [];
  team.eventBus.on("model.result", ({ usage }) => void seen.push(usage));
  const { usage } = await team.run("Where is picture 1?", { sessionId: "s" });

  const sumOf = (counts: (Partial<TokenUsage> | undefined)[]) => ({
    cachedTokens: counts.reduce((sum, each) => sum + (each?.cachedTokens ?? 0), 0),
    cacheWriteTokens: counts.reduce((sum, each) => sum + (each?.cacheWriteTokens ?? 0), 0),
  });
  const billed = sumOf(vendor.exchanges.map((exchange) => exchange.billed));
  expect(vendor.exchanges).toHaveLength(3);
  expect(Math.min(...Object.values(billed))).toBeGreaterThan(1000);
  expect(usage).toMatchObject(billed);
  expect(sumOf(seen)).toEqual(billed);
  expect((await team.sessions.readTurns("s")).turns).toMatchObject([{ usage: billed }]);
});

describe("a chat of ten turns with Claude, ten minutes apart", () => {
  it.each([
    ["an hour", "1h", 2900],
    ["five minutes", "5m", 0],
  ] as const)("reads tools and instructions that stay for %s [cache.option]", async (_, ttl, tokens) => {
    let now = 0;
    const { vendor, model } = await startClaude(undefined, { promptCache: { ttl }, now: () => now });
    const agent = new Agent({ name: "guide", model, tools, instructions });
    const { reads } = await readsOf({ runnable: agent, vendor, before: (turn) => (now = turn * 600_000) });

    for (const read of reads.slice(1)) expect(Math.floor(read / 2900)).toBe(Math.floor(tokens / 2900));
  });
});

describe("a long chat with Claude", () => {
  it("reads the conversation before from the cache in most turns, once the oldest are left out [cache.long-sessions]", async () => {
    const { vendor, agent } = await startGuide({ instructions });
    const { reads, bodies } = await readsOf({ runnable: agent, vendor, turns: 70 });

    const [second = 0] = reads.slice(1);
    const misses = reads.flatMap((read, turn) => (read < second ? [turn] : []));
    expect(misses).toEqual([0, 51, 59, 67]);
    for (const body of bodies) expect(body.match(/Where is picture/g)?.length).toBeLessThanOrEqual(51);
  });

  it.each([
    ["alone", {}],
    ["and numHistoryRuns", { numHistoryRuns: 30 }],
  ])(
    "reads it in most turns with a memory %s, and with no gap after its summaries [cache.long-sessions]",
    async (_, more) => {
      const memory = new Memory({ maxShortTermMessages: 40 });
      const { vendor, agent } = await startGuide({ instructions, memory, ...more });
      const { reads, bodies } = await readsOf({ runnable: agent, vendor, turns: 45 });

      const [second = 0] = reads.slice(1);
      expect(reads.flatMap((read, turn) => (read < second ? [turn] : []))).toEqual([0, 21, 25, 29, 33, 37, 41]);
      for (const body of bodies) expect(body.match(/Where is picture/g)?.length).toBeLessThanOrEqual(21);

      const longTerm = new Memory({ maxShortTermMessages: 40, enableLongTerm: true, model: new ScriptedModel() });
      const summing = await startGuide({ instructions, memory: longTerm, ...more });
      const whole = await readsOf({ runnable: summing.agent, vendor: summing.vendor, turns: 24 });
      expect(whole.bodies.at(-1)?.match(/"Where is picture/g)).toHaveLength(21);
    },
  );
});
