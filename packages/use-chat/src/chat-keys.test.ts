import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { lastText, openChat } from "../test/chat.ts";
import { durable } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";

/** A model of OpenAI that notes the keys of its calls. */
class OpenAiModel extends ScriptedModel {
  override readonly providerId = "openai";

  get keys(): unknown[] {
    return this.calls.map(({ options }) => options.apiKey);
  }
}

/** Serves an agent with that model, whose runs are durable or kept in this process. */
async function serveAgent({ isDurable }: { isDurable: boolean }) {
  const model = new OpenAiModel().respond(() => "Hi.");
  const agents = { a: new Agent({ name: "a", model, storage: new InMemoryStorage() }) };
  const runs = isDurable ? await durable({ agents, sealKeys: ["s".repeat(32)] }) : undefined;
  return { model, service: await serve({ agents, ...(runs && { runs }) }) };
}

const keys = {
  openai: { "x-openai-api-key": "sk-openai" },
  anthropic: { "x-anthropic-api-key": "sk-anthropic" },
  generic: { "x-api-key": "sk-generic" },
};

describe.each([
  { kind: "kept in this process", isDurable: false },
  { kind: "durable", isDurable: true },
])("the key of a chat whose runs are $kind", (runs) => {
  it.each<[where: string, sent: { headers?: Record<string, string>; body?: object }, key: string | undefined]>([
    ["the header of the vendor", { headers: keys.openai }, "sk-openai"],
    ["the generic header", { headers: keys.generic }, "sk-generic"],
    ["the body", { body: { apiKey: "sk-body" } }, "sk-body"],
    ["the vendor's header, before the others", { headers: { ...keys.openai, ...keys.generic } }, "sk-openai"],
    [
      "the body, beside the header of another vendor",
      { headers: keys.anthropic, body: { apiKey: "sk-body" } },
      "sk-body",
    ],
    ["none but the header of another vendor", { headers: keys.anthropic }, undefined],
  ])(
    "is taken from %s, for the first answer and for one that is regenerated [http.key-headers]",
    async (_, sent, key) => {
      const { model, service } = await serveAgent(runs);
      const open = openChat(service, "/agents/a/ui", { id: "c1", ...sent });

      await open.chat.sendMessage({ text: "Hello?" });
      await open.chat.regenerate();

      expect(open.chat.error).toBeUndefined();
      expect(lastText(open)).toBe("Hi.");
      expect(model.keys).toEqual([key, key]);
      expect(JSON.stringify(open.chunks)).not.toContain("sk-");
      expect(service.lines.join("")).not.toContain("sk-");
    },
  );

  it("the key of a message is not kept for the next message", async () => {
    const { model, service } = await serveAgent(runs);
    const body = (text: string) => ({ id: "c1", message: { role: "user", parts: [{ type: "text", text }] } });

    await service.post("/agents/a/ui", body("One."), keys.openai);
    await service.post("/agents/a/ui", body("Two."));

    expect(model.keys).toEqual(["sk-openai", undefined]);
  });
});
