import { describe, expect, it } from "vitest";
import { Memory } from "../memory/memory.ts";
import type { ContentPart } from "../../base/message/content.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";

const image = (text: string): ContentPart => ({
  type: "image",
  mimeType: "image/png",
  data: Buffer.alloc(300_000, text).toString("base64"),
});

/** Storage that counts the pieces that are read. */
class CountingStorage extends InMemoryStorage {
  pieces = 0;

  override async get(namespace: string, key: string) {
    if (namespace === "turn-parts") this.pieces += 1;
    return await super.get(namespace, key);
  }
}

/** Runs an agent with two images, each in a turn of its own, and then with a text. Returns what its model got last. */
async function runAgain(more: Partial<AgentConfig> = {}) {
  const storage = new CountingStorage();
  const model = new ScriptedModel().respond(() => "Seen.");
  for (const input of [[image("a")], [image("b")]]) await new Agent({ name: "a", model, storage }).run(input, at);
  await new Agent({ name: "a", model, storage, ...more }).run("And now?", at);
  const users = model.calls.at(-1)?.messages.filter(({ role }) => role === "user") ?? [];
  return { inputs: users.map(({ content }) => content), pieces: storage.pieces, storage };
}

const at = { sessionId: "s" };

describe("large data of earlier turns", () => {
  it("is read again for the model [session.parts-history]", async () => {
    const { inputs, pieces } = await runAgain();

    expect(inputs).toEqual([[image("a")], [image("b")], "And now?"]);
    // Two for each image in the third run, and two for the first image in the second.
    expect(pieces).toBe(6);
  });

  it("is not read for turns that are not sent [session.parts-history]", async () => {
    expect((await runAgain({ addHistoryToMessages: false })).pieces).toBe(2);
    const one = await runAgain({ numHistoryRuns: 1 });
    expect([one.inputs, one.pieces]).toEqual([[[image("b")], "And now?"], 4]);
    const short = await runAgain({ maxContextTokens: 2000 });
    expect([short.inputs, short.pieces]).toEqual([[[image("b")], "And now?"], 4]);
  });

  it("is seen by prepareStep, and read once for all model calls of a run", async () => {
    const seen: unknown[] = [];
    const { inputs, pieces } = await runAgain({ prepareStep: ({ messages }) => void seen.push(messages[0]?.content) });

    expect(inputs).toHaveLength(3);
    expect([seen, pieces]).toEqual([[[image("a")]], 6]);
  });

  it("is there for a memory that missed its turns [session.parts-history]", async () => {
    const { inputs } = await runAgain({ memory: new Memory({ storage: new InMemoryStorage() }) });

    expect(inputs).toEqual([[image("a")], [image("b")], "And now?"]);
  });

  it("is dropped with the session in a storage in memory", async () => {
    const { storage } = await runAgain();
    expect(await storage.list("turn-parts")).toHaveLength(4);
    await new Agent({ name: "a", model: new ScriptedModel(), storage }).sessions.deleteSession("s");

    expect(await storage.list("turn-parts")).toEqual([]);
  });
});
