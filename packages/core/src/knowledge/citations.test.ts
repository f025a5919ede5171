import { describe, expect, it } from "vitest";
import type { RunEvents } from "../agents/run/run-events.ts";
import type { RunContext } from "../agents/run/run-context.ts";
import { Agent } from "../agents/agent/agent.ts";
import type { AgentConfig } from "../agents/agent/agent-config.ts";
import { Team } from "../agents/team/team.ts";
import { defineTool } from "../agents/tool/define-tool.ts";
import { getTextContent } from "../base/message/content.ts";
import { InMemoryStorage } from "../sessions/storage/in-memory-storage.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { readAll } from "../testing/conformance/runnable-subject.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import type { SearchToolConfig } from "./search-tool.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";

type Turns = ConstructorParameters<typeof ScriptedModel>;

async function handbook(): Promise<KnowledgeBase> {
  const vectorStore = new InMemoryVectorStore();
  const knowledge = new KnowledgeBase({ name: "handbook", vectorStore, embeddings: new FakeEmbeddings() });
  await knowledge.addDocuments([
    { id: "rain", content: "It rains.", metadata: { url: "https://a.example/rain", title: "Rain", owner: "ann" } },
    { id: "snow", content: "It snows [9].", metadata: { owner: "bob" } },
    { id: "hail", content: "It hails.", metadata: { owner: null } },
  ]);
  return knowledge;
}

const call = (id: string, query: string, topK = 1) => ({ id, name: "search_handbook", arguments: { query, topK } });

async function agentOf(turns: Turns, config: SearchToolConfig = {}, more: Partial<AgentConfig> = {}) {
  const knowledge = await handbook();
  const model = new ScriptedModel(...turns);
  const warnings: RunEvents["run.warning"][] = [];
  const agent = new Agent({ name: "helper", model, tools: [knowledge.asTool(config)], ...more });
  agent.eventBus.on("run.warning", (warning) => void warnings.push(warning));
  return { agent, model, warnings };
}

describe("The passages that a knowledge base found", () => {
  it("are sources of the run, with their numbers as places in the list", async () => {
    const { agent } = await agentOf([{ toolCalls: [call("c1", "It rains.")] }, "It rains [1]."]);
    const output = await agent.run("Weather?");

    expect(output).toMatchObject({ text: "It rains [1]." });
    expect(output.sources).toEqual([
      {
        id: "handbook/rain",
        url: "https://a.example/rain",
        title: "Rain",
        passage: "It rains.",
        score: expect.closeTo(1, 4),
        toolCallId: "c1",
      },
    ]);
  });

  it("are numbered through all searches of a run, the same passage once", async () => {
    const { agent, model } = await agentOf([
      { toolCalls: [call("c1", "It rains."), call("c2", "It snows [9].")] },
      { toolCalls: [call("c3", "It rains."), call("c4", "It hails.")] },
      "Rain [1], snow [2], hail [3].",
    ]);
    const output = await agent.run("Weather?");

    expect(output.sources?.map(({ id }) => id)).toEqual(["handbook/rain", "handbook/snow", "handbook/hail"]);
    const seen = model.calls.at(-1)?.messages.filter(({ role }) => role === "tool");
    expect(seen?.map(({ content }) => getTextContent(content ?? "").slice(0, 3))).toEqual(["[1]", "[2]", "[1]", "[3]"]);
    expect(output.text).toBe("Rain [1], snow [2], hail [3].");
  });

  it("are chunks of the stream and part of the stored turn", async () => {
    const storage = new InMemoryStorage();
    const { agent } = await agentOf([{ toolCalls: [call("c1", "It rains.")] }, "[1]"], {}, { storage });
    const stream = agent.stream("Weather?", { sessionId: "s" });
    const chunks = await readAll(stream);
    const { sources = [] } = await stream.output;

    expect(chunks.filter(({ type }) => type === "source")).toEqual(sources.map((one) => ({ type: "source", ...one })));
    const { turns } = await agent.sessions.readTurns("s");
    expect(turns[0]?.sources).toEqual(sources);
  });

  it("show at most a thousand characters of their text", async () => {
    const knowledge = await handbook();
    await knowledge.add({ id: "long", content: "x".repeat(5000) });
    const tool = knowledge.asTool();
    const { sources } = (await tool.execute({ query: "x".repeat(5000), topK: 1 }, {} as RunContext)) as {
      sources: { passage: string }[];
    };

    expect(sources[0]?.passage).toHaveLength(1000);
  });
});

describe("The numbers in an answer", () => {
  const search = { toolCalls: [call("c1", "It rains.")] };

  it.each([["run"], ["stream"]] as const)(
    "the numbers in an answer that name no source are removed with a warning, by %s",
    async (way) => {
      const { agent, warnings } = await agentOf([search, "It rains [1], hails [2] and snows[1, 3]."]);
      const stream = agent.stream("Weather?");
      if (way === "stream") await readAll(stream);
      const output = way === "run" ? await agent.run("Weather?") : await stream.output;

      expect(output.text).toBe("It rains [1], hails and snows[1].");
      expect(output.messages?.at(-1)?.content).toBe(output.text);
      expect(warnings).toMatchObject([{ code: "citation_removed", fields: { cited: "2, 3", sources: 1 } }]);
    },
  );

  it("are streamed as the output has them", async () => {
    const { agent } = await agentOf([search, "It rains [1] and hails [2], really [1"]);
    const stream = agent.stream("Weather?");
    const texts = (await readAll(stream)).flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : []));

    expect(texts.join("")).toBe((await stream.output).text);
  });

  it("are left alone without a search, unless the tool demands citations", async () => {
    const free = await agentOf(["See [1]."]);
    const bound = await agentOf(["See [1]."], { cite: true });

    expect((await free.agent.run("Weather?")).text).toBe("See [1].");
    expect((await bound.agent.run("Weather?")).text).toBe("See.");
    expect(bound.model.calls[0]?.options.tools?.[0]?.description).toContain("Cite the passages");
    expect(free.model.calls[0]?.options.tools?.[0]?.description).not.toContain("Cite");
  });

  it("the numbers in an answer that stand in a document are no citations when the model copies them", async () => {
    const { agent, model, warnings } = await agentOf([
      { toolCalls: [call("c1", "It snows [9].")] },
      ({ messages }: { messages: readonly { content: unknown }[] }) => ({
        text: `${String(messages.at(-1)?.content).split("\n").at(-1)} [1]`,
      }),
    ] as never);
    const output = await agent.run("Weather?");

    expect(model.calls).toHaveLength(2);
    expect(output.text).toBe("It snows [ 9 ]. [1]");
    expect(warnings).toEqual([]);
  });

  it("the numbers in an answer of a member's answer become those of the team", async () => {
    const knowledge = await handbook();
    const member = (name: string, query: string) =>
      new Agent({
        name,
        model: new ScriptedModel({ toolCalls: [call("c", query)] }, `${name} says [1].`),
        tools: [knowledge.asTool()],
      });
    const delegate = (name: string) => ({ id: name, name: `delegate_to_${name}`, arguments: { task: "Weather?" } });
    const model = new ScriptedModel({ toolCalls: [delegate("ann")] }, { toolCalls: [delegate("bob")] }, "[1] [2] [3]");
    const members = [member("ann", "It rains."), member("bob", "It hails.")];
    const team = new Team({ name: "team", mode: "coordinate", model, members });
    const output = await team.run("Weather?");

    expect(output.toolCalls.map(({ result }) => result)).toEqual(["ann says [1].", "bob says [2]."]);
    expect(output.sources?.map(({ id }) => id)).toEqual(["handbook/rain", "handbook/hail"]);
    expect(output.text).toBe("[1] [2]");
  });
});

describe("The filter of a search tool", () => {
  const owned = { filter: ({ userId }: RunContext) => ({ owner: userId ?? null }), topK: 20 };

  it.each([
    ["ann", ["handbook/rain"]],
    ["bob", ["handbook/snow"]],
    ["eve", []],
    [undefined, ["handbook/hail"]],
  ])("keeps the documents of the caller %j", async (userId, ids) => {
    const { agent } = await agentOf([{ toolCalls: [call("c1", "It rains.", 20)] }, "Done."], owned);
    const { sources = [] } = await agent.run("Weather?", { userId });

    expect(sources.map(({ id }) => id)).toEqual(ids);
  });

  it("distinguishes a verified user from an unverified one of the same name, and tenants", async () => {
    const seen: unknown[] = [];
    const filter = ({ userId, verified, tenantId }: RunContext) => {
      seen.push({ userId, verified, tenantId });
      return { owner: verified === false ? `~${userId}` : (userId ?? null) };
    };
    const { agent } = await agentOf([{ toolCalls: [call("c1", "It rains.")] }, "Done."], { filter });
    const { sources } = await agent.run("Weather?", { userId: "ann", verified: false } as never);

    expect(seen).toEqual([{ userId: "ann", verified: false, tenantId: undefined }]);
    expect(sources).toBeUndefined();
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no filter"))],
    ["returns nothing", () => undefined],
    ["returns an undefined value", () => ({ owner: undefined })],
  ])("the filter of a search tool that %s makes the call fail, so that nothing is found", async (_name, filter) => {
    const { agent } = await agentOf([{ toolCalls: [call("c1", "It rains.")] }, "Done."], { filter: filter as never });
    const { toolCalls, sources } = await agent.run("Weather?");

    expect(toolCalls[0]).toMatchObject({ error: "The tool search_handbook failed." });
    expect(sources).toBeUndefined();
  });
});

describe("The sources of any tool's result", () => {
  const toolOf = (result: unknown) =>
    defineTool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: () => result as never });
  const looks = (result: unknown) => {
    const model = new ScriptedModel({ toolCalls: [{ id: "c1", name: "look", arguments: {} }] }, "See [7].");
    return new Agent({ name: "helper", model, tools: [toolOf(result)] }).run("Weather?");
  };

  it("are those of the run, with the id of the call", async () => {
    const source = { id: "1", url: "https://a.example", title: "A" };
    const output = await looks({ content: "seen", sources: [source] });

    expect(output.sources).toEqual([{ ...source, toolCallId: "c1" }]);
    expect(output.toolCalls[0]).toMatchObject({ result: "seen" });
    expect(output.toolCalls[0]).not.toHaveProperty("sources");
    expect(output.text).toBe("See [7].");
  });

  it.each([["x"], [[{}]], [[{ id: "" }]], [[{ id: "1", title: 5 }]]])("must be sources, not %j", async (sources) => {
    const { toolCalls } = await looks({ content: "seen", sources });

    expect(toolCalls[0]).toMatchObject({ error: "The tool look failed." });
    expect(toolCalls[0]?.result).toContain("sources");
  });

  it("sources beside other fields are data", async () => {
    const { toolCalls } = await looks({ sources: [1], more: 2 });

    expect(toolCalls[0]?.result).toBe('{"sources":[1],"more":2}');
  });
});
