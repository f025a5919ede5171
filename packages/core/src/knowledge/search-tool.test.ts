import { describe, expect, it } from "vitest";
import { EventBus } from "../base/events/event-bus.ts";
import type { ApiKeys } from "../model/keys/api-keys.ts";
import type { RunEvents } from "../agents/run/run-events.ts";
import { deriveContext } from "../agents/run/derive-context.ts";
import { testRun } from "../agents/run/test/test-run.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { executeToolCalls } from "../agents/tool/execute-tool-calls.ts";
import type { ToolResult } from "../agents/run/tool.ts";
import { ToolSet } from "../agents/tool/tool-set.ts";
import type { EmbedOptions } from "./vector/embedding-provider.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import type { SearchToolConfig } from "./search-tool.ts";

function runContext({
  apiKeys = {},
  signal = new AbortController().signal,
}: {
  apiKeys?: ApiKeys;
  signal?: AbortSignal;
}) {
  return deriveContext(testRun({ apiKeys }).context, { signal });
}

const search = async (knowledge: KnowledgeBase, args: Record<string, unknown>, config?: SearchToolConfig) =>
  contentOf(await knowledge.asTool(config).execute(args, runContext({})));

const contentOf = (returned: unknown) => (returned as ToolResult).content as string;

const knowledgeBase = (name = "kb", embeddings = new FakeEmbeddings()) =>
  new KnowledgeBase({ name, vectorStore: new InMemoryVectorStore(), embeddings });

async function filled(count: number): Promise<KnowledgeBase> {
  const knowledge = knowledgeBase();
  const odd = (index: number) => ({ odd: index % 2 === 1 });
  const documents = Array.from({ length: count }, (_, index) => ({
    id: `d${index}`,
    content: "text",
    metadata: odd(index),
  }));
  await knowledge.addDocuments(documents);
  return knowledge;
}

const idsIn = (text: unknown) => [...String(text).matchAll(/^\[\d+\] "(\w+)"/gm)].map(([, id]) => id);

describe("The configuration of a search tool", () => {
  const { parameters, description } = knowledgeBase('a "b"').asTool({ topK: 7, name: "search" });

  it("tells a model what to give", () => {
    expect(description).toBe(
      'Searches the knowledge base "a \\"b\\"" and returns numbered passages that fit the query.',
    );
    expect(parameters).toEqual({
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, description: "What to look for, in plain words." },
        topK: {
          type: "integer",
          minimum: 1,
          maximum: 20,
          description: "How many documents to find at most; 7 unless given.",
        },
      },
      required: ["query"],
      additionalProperties: false,
    });
  });

  it.each<[object, string]>([
    [{ limit: 5 }, 'Unknown option "limit" of a search tool.'],
    [{ minScore: "1" }, "minScore must be a number, got a string."],
    [{ filter: [] }, "filter must be an object or a function, got an array."],
    [{ cite: "yes" }, "cite must be true or false, got a string."],
    [{ topK: 0 }, "topK must be a positive integer, got 0."],
    [{ topK: 10_001 }, "topK must be an integer from 1 to 10000, got 10001."],
  ])("of the kind %j is refused with its reason", (config, message) => {
    expect(() => knowledgeBase().asTool(config)).toThrow(message);
  });
});

describe("createSearchTool", () => {
  it("gives the model the documents with numbers and titles [knowledge.as-tool]", async () => {
    const knowledge = knowledgeBase();
    await knowledge.add({ id: "rain", content: "It rains in Oslo" });
    const metadata = { title: "Money", secret: "not for the model" };
    await knowledge.add({ id: "due", content: "Invoices\nare due", metadata });

    expect(await search(knowledge, { query: "It rains in Oslo" })).toBe(
      '[1] "rain"\nIt rains in Oslo\n\n[2] "Money"\nInvoices\nare due',
    );
    expect(await search(knowledgeBase(), { query: "a" })).toBe("No documents were found.");
  });

  it("tells the document and the place of a piece [knowledge.as-tool]", async () => {
    const chunking = () => [
      { start: 0, end: 16 },
      { start: 11, end: 27 },
    ];
    const [vectorStore, embeddings] = [new InMemoryVectorStore(), new FakeEmbeddings()];
    const knowledge = new KnowledgeBase({ name: "kb", vectorStore, embeddings, chunking });
    await knowledge.add({ id: '"a"/b.md', content: "It rains in Oslo in autumn." });

    expect(await search(knowledge, { query: "It rains in Oslo", topK: 1 })).toBe(
      '[1] "\\"a\\"/b.md" (characters 0 to 16)\nIt rains in Oslo',
    );
  });

  it("leaves no number of a document that could be a citation", async () => {
    const knowledge = knowledgeBase();
    await knowledge.add({ id: "a", content: '[2] "b"\nas in [7, 8]', metadata: { title: "A\n[9]" } });

    expect(await search(knowledge, { query: "a" })).toBe('[1] "A\\n[ 9 ]"\n[ 2 ] "b"\nas in [ 7, 8 ]');
  });

  it("finds five documents unless the model or its configuration says otherwise", async () => {
    const knowledge = await filled(8);

    expect(idsIn(await search(knowledge, { query: "text" }))).toHaveLength(5);
    expect(idsIn(await search(knowledge, { query: "text", topK: 7 }))).toHaveLength(7);
    expect(idsIn(await search(knowledge, { query: "text" }, { topK: 2 }))).toHaveLength(2);
  });

  it("applies the configured filter and score, as they were when it was created", async () => {
    const knowledge = await filled(4);
    const filter = { odd: true };
    const tool = knowledge.asTool({ filter });
    filter.odd = false;

    expect(idsIn(contentOf(await tool.execute({ query: "text" }, runContext({}))))).toEqual(["d1", "d3"]);
    expect(await search(knowledge, { query: "else" }, { minScore: 0.99 })).toBe("No documents were found.");
  });

  it.each([
    ["kb", "search_kb"],
    ["Füße & more", "search_F__e___more"],
    ["😀", "search__"],
    ["1", "search_1"],
    ["x".repeat(100), `search_${"x".repeat(57)}`],
  ])("derives a valid name from %j", (name, expected) => {
    expect(knowledgeBase(name).asTool().name).toBe(expected);
  });

  it("takes a name and a description, and has a description by default", () => {
    const config = { name: "look_up", description: "Looks things up." };

    expect(knowledgeBase().asTool(config)).toMatchObject(config);
    expect(knowledgeBase().asTool()).toMatchObject({ description: expect.stringContaining('"kb"'), effect: "pure" });
  });

  it("lets the model choose a query and a number within limits, and nothing else", async () => {
    const accepts = async (args: object, config?: SearchToolConfig) => {
      const schema = compileSchema(knowledgeBase().asTool(config).parameters, "parameters");
      return (await schema.validate(args)).ok;
    };

    for (const args of [{ query: "a" }, { query: "a", topK: 1 }, { query: "a", topK: 20 }])
      expect(await accepts(args)).toBe(true);
    const numbers = [0, 21, 1.5, "3"].map((topK) => ({ query: "a", topK }));
    for (const args of [{}, { query: "" }, { query: 1 }, { query: "a", filter: {} }, ...numbers])
      expect(await accepts(args)).toBe(false);
    expect(await accepts({ query: "a", topK: 30 }, { topK: 30 })).toBe(true);
  });

  it.each<[object, string]>([
    [{ topK: 0 }, "invalid_config"],
    [{ topK: 10_001 }, "invalid_value"],
    [{ minScore: NaN }, "invalid_value"],
    [{ filter: { a: undefined } }, "invalid_value"],
    [{ name: "not legal" }, "invalid_config"],
    [{ limit: 5 }, "invalid_config"],
  ])("refuses the configuration %o when it is created", (config, code) => {
    expect(() => knowledgeBase().asTool(config)).toThrow(expect.objectContaining({ code }));
  });

  it("embeds with the run's key for the vendor of the embeddings, and with no other", async () => {
    const keys: unknown[] = [];
    class Recorded extends FakeEmbeddings {
      override async embed(text: string, options?: EmbedOptions) {
        keys.push(options?.apiKey);
        return await super.embed(text, options);
      }
    }
    const tools = new ToolSet([knowledgeBase("kb", new Recorded()).asTool()]);
    const calls = [{ id: "1", name: "search_kb", arguments: { query: "a" } }];
    for (const apiKeys of [{ fake: "k-fake", openai: "canary" }, { openai: "canary" }]) {
      const batch = {
        calls,
        tools,
        context: runContext({ apiKeys }),
        roundtrip: 0,
        eventBus: new EventBus<RunEvents>(),
      };
      for await (const update of executeToolCalls(batch)) {
        expect(update).toMatchObject({ result: "No documents were found." });
      }
    }

    expect(keys).toEqual(["k-fake", undefined]);
  });

  it("ends with the run", async () => {
    const executed = knowledgeBase()
      .asTool()
      .execute({ query: "a" }, runContext({ signal: AbortSignal.abort() }));

    await expect(executed).rejects.toMatchObject({ code: "cancelled" });
  });
});
