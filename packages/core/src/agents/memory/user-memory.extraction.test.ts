import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { exchange } from "./test/conversation.ts";
import { UserMemory } from "./user-memory.ts";

describe("UserMemory.extractAndStore", () => {
  const messages = exchange("about tea");
  const found = (...facts: string[]) => ({ structured: { facts } });

  it("stores the facts that the given model finds, with the caller's key and usage [user-memory.extract] [user-memory.model-default]", async () => {
    const memory = new UserMemory();
    const model = new ScriptedModel(found("Likes tea."));
    const billed: TokenUsage[] = [];
    const stored = await memory.extractAndStore("u", messages, model, {
      apiKeyFor: (providerId) => `key of ${providerId}`,
      onUsage: (usage) => billed.push(usage),
      tenantId: "t",
    });

    expect(stored).toMatchObject([{ fact: "Likes tea.", source: "auto" }]);
    expect(await memory.getFacts("u", { tenantId: "t" })).toEqual(stored);
    expect(await memory.getFacts("u")).toEqual([]);
    expect(model.calls[0]?.options.apiKey).toBe("key of scripted");
    expect(billed).toEqual([scriptedUsage]);
  });

  it("prefers its own model, and gives it the known facts", async () => {
    const own = new ScriptedModel(found("Likes tea.", "Has a cat."));
    const memory = new UserMemory({ model: own });
    await memory.addFacts("u", ["likes tea"]);

    expect(await memory.extractAndStore("u", messages, new ScriptedModel())).toMatchObject([{ fact: "Has a cat." }]);
    expect(own.calls[0]?.messages[1]?.content).toContain("<known_facts>\n- likes tea\n");
  });

  it("finds facts when asked for by hand although it is not enabled [user-memory.extract-by-hand]", async () => {
    const memory = new UserMemory({ enabled: false, model: new ScriptedModel(found("Likes tea.")) });

    expect(await memory.extractAndStore("u", messages)).toMatchObject([{ fact: "Likes tea." }]);
    expect(await memory.getFacts("u")).toHaveLength(1);
  });

  it("asks for a model when there is none", async () => {
    await expect(new UserMemory().extractAndStore("u", messages)).rejects.toMatchObject({ code: "invalid_config" });
  });

  it("stores nothing of an answer that is not an array of facts", async () => {
    const memory = new UserMemory();

    expect(await memory.extractAndStore("u", messages, new ScriptedModel("Dear user,"))).toEqual([]);
    expect(await memory.getFacts("u")).toEqual([]);
  });

  it("fails when the model does, and when it is cancelled", async () => {
    const memory = new UserMemory();
    const failing = new ScriptedModel({ error: new TroupeError("model_failed", "no") });
    await expect(memory.extractAndStore("u", messages, failing)).rejects.toMatchObject({ code: "model_failed" });

    const abort = new AbortController();
    const hanging = new ScriptedModel(() => {
      abort.abort();
      return { hang: true };
    });
    const cancelled = memory.extractAndStore("u", messages, hanging, { signal: abort.signal });
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    expect(hanging.calls[0]?.end).toBe("cancelled");
  });

  it("keeps at most maxFacts under twenty extractions at once, each of ten thousand facts", async () => {
    const memory = new UserMemory();
    let facts = 0;
    const model = new ScriptedModel().respond(() =>
      found(...Array.from({ length: 10_000 }, () => `Fact ${(facts += 1)}`)),
    );
    await Promise.all(Array.from({ length: 20 }, () => memory.extractAndStore("u", messages, model)));

    expect(await memory.getFacts("u")).toHaveLength(100);
  });
});
