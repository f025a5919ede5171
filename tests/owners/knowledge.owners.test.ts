import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkOwners, usersOfAll } from "@troupe-internal/fault-tools";
import { Agent, InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import type { RunContext, SessionOwner, VectorStore } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { SqliteVectorStore } from "@troupe/vector-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";

const embeddings = new FakeEmbeddings();

const inMemory = (): VectorStore => new InMemoryVectorStore({ embeddings });

function inFile(): VectorStore {
  const folder = mkdtempSync(join(tmpdir(), "troupe-owners-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return new SqliteVectorStore(join(folder, "vectors.db"), { embeddings, durability: "normal" });
}

const ownerOf = ({ userId, tenantId, verified = true }: Partial<SessionOwner>) => {
  return { owner: { userId: userId ?? null, tenantId: tenantId ?? null, verified } };
};

/** A model that calls its only tool with each question, and repeats what the tool found. */
function searching(): ScriptedModel {
  return new ScriptedModel().respond(({ messages, options }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return JSON.stringify(last.content);
    const [tool] = options?.tools ?? [];
    return { toolCalls: [{ name: tool?.name ?? "", arguments: { query: "note", topK: 20 } }] };
  });
}

const marksIn = (text: string): string[] =>
  [...text.matchAll(/note (of .+? in [^\n."\\]+)/g)].map(([, mark = ""]) => mark).toSorted();

describe.each<[string, () => VectorStore]>([
  ["memory", inMemory],
  ["an SQLite file", inFile],
])("each of several owners finds its own and nothing else with a search tool over %s", (_, open) => {
  const setUp = () => {
    const knowledge = new KnowledgeBase({ name: "notes", vectorStore: open() });
    onTestFinished(async () => await knowledge.close());
    // The tool is bound to its caller after a wait, as with a filter that asks a database.
    const filter = async (context: RunContext) => await Promise.resolve(ownerOf(context));
    const agent = new Agent({ name: "a", model: searching(), tools: [knowledge.asTool({ filter, cite: true })] });
    const idOf = (owner: SessionOwner) => JSON.stringify(ownerOf(owner));
    const leave = async (owner: SessionOwner, mark: string) =>
      await knowledge.add({ id: idOf(owner), content: `A note ${mark}.`, metadata: ownerOf(owner) });
    /** Returns the marks in the answer and in the sources, which must be the same. */
    const find = async (owner: SessionOwner): Promise<string[]> => {
      const { text, sources = [] } = await agent.run("What is in my notes?", owner);
      const found = marksIn(text);
      expect(marksIn(sources.map(({ passage }) => passage).join("\n"))).toEqual(found);
      return found;
    };
    return { knowledge, agent, idOf, leave, find };
  };

  it("each owner finds its own and nothing else when they ask one after the other", async () => {
    const { knowledge, idOf, leave, find } = setUp();

    await checkOwners({
      shows: ["packages/core/src/knowledge/search-tool.ts"],
      owners: usersOfAll,
      leave,
      find,
      remove: async (owner) => await knowledge.delete(idOf(owner)),
    });
  });

  it("each owner finds its own and nothing else when they ask at the same time, and when a caller has no user", async () => {
    const { agent, leave, find } = setUp();
    for (const [index, owner] of usersOfAll.entries()) await leave(owner, `of owner ${index} in memory`);

    const found = await Promise.all(usersOfAll.map(async (owner) => await find(owner)));
    expect(found).toEqual(usersOfAll.map((_owner, index) => [`of owner ${index} in memory`]));
    expect((await agent.run("What is in my notes?")).sources).toBeUndefined();
  });
});

it("a search tool whose caller cannot be determined finds nothing", async () => {
  const knowledge = new KnowledgeBase({ name: "notes", vectorStore: inMemory() });
  await knowledge.add({ id: "a", content: "A note of ada." });
  const filters = [
    () => undefined as never,
    () => {
      throw new Error("The database of users cannot be reached.");
    },
  ];

  for (const filter of filters) {
    const agent = new Agent({ name: "a", model: searching(), tools: [knowledge.asTool({ filter })] });
    const { text, sources } = await agent.run("What is in my notes?", { userId: "ada" });
    expect([text.includes("note of ada"), sources]).toEqual([false, undefined]);
  }
  await knowledge.close();
});
