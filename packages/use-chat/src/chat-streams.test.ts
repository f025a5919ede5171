import { Agent, defineTool } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { checkChunks, lastText, openChat } from "../test/chat.ts";
import type { TestChat } from "../test/chat.ts";
import { as, serve } from "../test/serve.ts";
import { scripted } from "../test/runnables.ts";

const patience = { timeout: 10_000, interval: 2 };
const continues = { chat: { onDisconnect: "continue" } } as const;

/** A model that stops behind its third word until it is told to go on. */
class HeldModel extends ScriptedModel {
  readonly text = "One two three four five six seven eight.";
  readonly #held = Promise.withResolvers<void>();

  constructor() {
    super();
    this.respond(() => this.text);
  }

  goOn(): void {
    this.#held.resolve();
  }

  override async *stream(...call: Parameters<ScriptedModel["stream"]>): AsyncGenerator<ModelChunk> {
    let words = 0;
    for await (const chunk of super.stream(...call)) {
      if (words++ === 3) await this.#held.promise;
      yield chunk;
    }
  }
}

async function untilText(open: TestChat, text: RegExp): Promise<void> {
  await vi.waitFor(
    () => expect([open.chat.messages.at(-1)?.role, lastText(open)]).toEqual(["assistant", expect.stringMatching(text)]),
    patience,
  );
}

describe("the stream of a chat", () => {
  it("is resumed in the middle of an answer from its beginning, with the same message, and is none for others [http.ui-resume]", async () => {
    const model = new HeldModel();
    const service = await serve({ agents: { a: new Agent({ name: "a", model }) } }, continues);
    const first = openChat(service, "/agents/a/ui", { id: "c1", headers: as("ada") });
    const sent = first.chat.sendMessage({ text: "Count." });
    await untilText(first, /^One two/);
    await first.chat.stop();
    await sent;
    const path = "/agents/a/ui/c1/stream";
    expect((await service.ask(path, { headers: as("bob") })).status).toBe(204);
    expect((await service.ask("/agents/a/ui/c2/stream", { headers: as("ada") })).status).toBe(204);
    const head = await service.ask(path, { headers: as("ada"), method: "HEAD" });
    expect(head.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");

    // The page has stored what it had seen.
    const messages = structuredClone(first.chat.messages);
    const second = openChat(service, "/agents/a/ui", { id: "c1", headers: as("ada"), messages, pieceSize: 1 });
    const resumed = second.chat.resumeStream();
    await vi.waitFor(() => expect(second.chunks.length).toBeGreaterThan(0), patience);
    model.goOn();
    await resumed;

    await checkChunks(second.chunks);
    expect(second.chat.status).toBe("ready");
    expect(second.chat.messages).toHaveLength(2);
    expect(second.chat.messages.at(-1)?.id).toBe(first.chat.messages.at(-1)?.id);
    expect(lastText(second)).toBe(model.text);
    expect((await service.ask(path, { headers: as("ada") })).status).toBe(204);
  });

  it("is stopped by its own path, twice too, and not by the id of another message [http.ui-stop]", async () => {
    const { agent, model } = scripted({ text: "One", hang: true });
    const service = await serve({ agents: { a: agent } }, continues);
    const open = openChat(service, "/agents/a/ui", { id: "c1" });
    const sent = open.chat.sendMessage({ text: "Count." });
    await vi.waitFor(() => expect(model.calls).toHaveLength(1), patience);

    expect((await service.post("/agents/a/ui/c1/stop", { activeStreamId: "another" })).status).toBe(204);
    expect(model.calls[0]?.end).toBe("running");
    expect((await service.ask("/agents/a/ui/c1/stop", { method: "POST" })).status).toBe(204);
    expect((await service.ask("/agents/a/ui/c1/stop", { method: "POST" })).status).toBe(204);

    await sent;
    expect(open.chat.messages.at(-1)?.role === "user" || open.chat.status === "ready").toBe(true);
    await vi.waitFor(() => expect(model.calls[0]?.end).toBe("cancelled"), patience);
  });

  it("has values that the SDK would refuse as JSON text, artifacts as files, and failures of tools as such [http.ui-message]", async () => {
    const hostile = defineTool({
      name: "hostile",
      description: "Returns what would change a prototype.",
      parameters: { type: "object", properties: {} },
      execute: () => '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
    });
    const broken = defineTool({
      name: "broken",
      description: "Fails.",
      parameters: { type: "object", properties: {} },
      execute: () => {
        throw new Error("It is broken.");
      },
    });
    const draw = defineTool({
      name: "draw",
      description: "Draws.",
      parameters: { type: "object", properties: {} },
      execute: () => ({
        content: "Drawn.",
        artifacts: [
          { type: "image", data: "aGk=", mimeType: "image/png" },
          { type: "chart", data: { constructor: { prototype: 1 } } },
        ],
      }),
    });
    const names = ["hostile", "broken", "draw", "unknown"];
    const toolCalls = names.map((name) => ({ id: name, name, arguments: name === "draw" ? "[1" : {} }));
    toolCalls.push({ id: "draw2", name: "draw", arguments: {} });
    const model = new ScriptedModel({ toolCalls }, "Done.");
    const service = await serve({
      agents: { a: new Agent({ name: "a", model, tools: [hostile, broken, draw] }) },
    });
    const open = openChat(service, "/agents/a/ui", { id: "c1" });

    await open.chat.sendMessage({ text: "Go." });

    await checkChunks(open.chunks);
    expect(open.chat.error).toBeUndefined();
    const parts = open.chat.messages.at(-1)?.parts ?? [];
    const part = (id: string) => parts.find((each) => "toolCallId" in each && each.toolCallId === id);
    expect(part("hostile")).toMatchObject({
      state: "output-available",
      output: expect.stringContaining("__proto__") as string,
    });
    for (const id of ["broken", "draw", "unknown"]) expect(part(id)).toMatchObject({ state: "output-error" });
    expect(part("draw2")).toMatchObject({ state: "output-available", output: "Drawn." });
    expect(parts.find(({ type }) => type === "file")).toEqual({
      type: "file",
      mediaType: "image/png",
      url: "data:image/png;base64,aGk=",
    });
    expect(parts.find(({ type }) => type === "data-artifact")).toMatchObject({
      data: expect.stringContaining("prototype") as string,
    });
    expect(lastText(open)).toBe("Done.");
  });

  it.each<[string, object, string]>([
    ["an unknown field", { model: "x" }, 'Unknown field \\"model\\"'],
    ["no message", { messages: [] }, "messages must have a message."],
    ["two forms", { message: {} }, "either messages"],
    ["a system message", { messages: [{ role: "system", parts: [] }] }, "messages[0].role"],
    ["a part without a type", { messages: [{ role: "user", parts: [{}] }] }, "messages[0].parts"],
    [
      "an unknown part",
      { messages: [{ role: "user", parts: [{ type: "secret" }] }] },
      "messages[0].parts[0] of the user's message has the type",
    ],
    [
      "a file of the page alone",
      { messages: [{ role: "user", parts: [{ type: "file", mediaType: "image/png", url: "blob:x" }] }] },
      "messages[0].parts[0].url",
    ],
    ["an unknown trigger", { trigger: "retry" }, "trigger must be"],
    ["a chat id with a slash", { id: "a/b" }, ""],
  ])("refuses %s before anything runs [http.ui-stream]", async (_, fields, message) => {
    const { agent, model } = scripted("Never.");
    const service = await serve({ agents: { a: agent } });
    const messages = [{ role: "user", parts: [{ type: "text", text: "Hi." }] }];

    const answer = await service.post("/agents/a/ui", { id: "c1", messages, ...fields });

    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
    expect(model.calls).toHaveLength(0);
  });
});
