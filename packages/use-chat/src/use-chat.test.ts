import { Agent, defineTool, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { describe, expect, it, vi } from "vitest";
import { checkChunks, lastText, openChat, typesOf } from "../test/chat.ts";
import { as, serve } from "../test/serve.ts";
import { desk, scripted, talker } from "../test/runnables.ts";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  execute: ({ city }, context) => {
    context.report({ asked: city });
    return { celsius: 4, city };
  },
});

/** An agent that thinks, asks a tool and answers with a source. */
function forecaster(): Agent {
  const model = new ScriptedModel(
    { thinking: "Hm.", text: "Let me see.", toolCalls: [{ id: "t1", name: "weather", arguments: { city: "Oslo" } }] },
    { text: "It is 4 degrees.", sources: [{ id: "s1", url: "https://example.org/oslo", title: "Oslo" }, { id: "s2" }] },
  );
  return new Agent({ name: "a", model, tools: [weather] });
}

describe("useChat", () => {
  it.each([1, 7, undefined])(
    "shows thinking, text, a tool's call and result, sources and usage, in pieces of %s bytes [http.ui-stream] [http.ui-message]",
    async (pieceSize) => {
      const service = await serve({ agents: { a: forecaster() } });
      const open = openChat(service, "/agents/a/ui", { id: "c1", ...(pieceSize !== undefined && { pieceSize }) });

      await open.chat.sendMessage({ text: "How is Oslo?" });

      await checkChunks(open.chunks);
      expect(open.chat.error).toBeUndefined();
      expect(open.chat.status).toBe("ready");
      expect(open.chat.messages.at(-1)).toMatchObject({
        role: "assistant",
        metadata: { usage: { inputTokens: expect.any(Number) as number, outputTokens: expect.any(Number) as number } },
        parts: [
          { type: "step-start" },
          { type: "reasoning", text: "Hm.", state: "done" },
          { type: "text", text: "Let me see.", state: "done" },
          {
            type: "tool-weather",
            toolCallId: "t1",
            state: "output-available",
            input: { city: "Oslo" },
            output: { celsius: 4, city: "Oslo" },
          },
          { type: "step-start" },
          { type: "text", text: "It is 4 degrees.", state: "done" },
          { type: "source-url", sourceId: "s1", url: "https://example.org/oslo", title: "Oslo" },
          { type: "source-document", sourceId: "s2", title: "s2" },
        ],
      });
      expect(typesOf(open.chunks)[0]).toBe("start");
      expect(open.chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
    },
  );

  it("chats with a team too, in one session that has the id of the chat [http.ui-session]", async () => {
    const service = await serve({ teams: { desk: desk("We agree.") } });
    const open = openChat(service, "/teams/desk/ui", { id: "chat-7", headers: as("ada") });

    await open.chat.sendMessage({ text: "Do you?" });
    await open.chat.sendMessage({ text: "Really?" });

    await checkChunks(open.chunks);
    expect(lastText(open)).toBe("We agree.");
    expect(open.chat.messages).toHaveLength(4);
    expect((await service.ask("/sessions/chat-7", { headers: as("ada") })).json).toMatchObject({ turns: 2 });
    expect((await service.ask("/sessions/chat-7")).status).toBe(404);
  });

  it("sends all messages or the last one alone: the session has the rest [http.ui-session]", async () => {
    const { agent, model } = scripted("One.", "Two.");
    const service = await serve({ agents: { a: agent } });
    const open = openChat(service, "/agents/a/ui", {
      id: "c1",
      prepareSendMessagesRequest: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }),
    });

    await open.chat.sendMessage({ text: "First?" });
    await open.chat.sendMessage({ text: "Second?" });

    expect(open.bodies.at(-1)).toEqual({ id: "c1", message: expect.objectContaining({ role: "user" }) as object });
    expect(model.calls[1]?.messages.map(({ content }) => content)).toEqual(["First?", "One.", "Second?"]);
  });

  it("begins a session that the service does not have with what the page has [http.ui-session]", async () => {
    const { agent, model } = scripted("Third.");
    const service = await serve({ agents: { a: agent } });
    const messages = [
      { id: "u1", role: "user" as const, parts: [{ type: "text" as const, text: "Hello." }] },
      {
        id: "m1",
        role: "assistant" as const,
        parts: [
          { type: "step-start" as const },
          {
            type: "tool-weather" as const,
            toolCallId: "t1",
            state: "output-available" as const,
            input: { city: "Oslo" },
            output: { celsius: 4 },
          },
          { type: "step-start" as const },
          { type: "text" as const, text: "Cold." },
        ],
      },
    ];
    const open = openChat(service, "/agents/a/ui", { id: "c1", messages });

    await open.chat.sendMessage({ text: "And Rome?" });

    expect(lastText(open)).toBe("Third.");
    expect(model.calls[0]?.messages).toMatchObject([
      { role: "user", content: "Hello." },
      { role: "assistant", toolCalls: [{ id: "t1", name: "weather", arguments: { city: "Oslo" } }] },
      { role: "tool", toolCallId: "t1", content: '{"celsius":4}' },
      { role: "assistant", content: "Cold." },
      { role: "user", content: "And Rome?" },
    ]);
  });

  it("regenerates an answer, and goes on from an edited message, without what came behind it [http.ui-regenerate]", async () => {
    const { agent, model } = scripted("One.", "Two.", "Two again.", "One again.");
    const service = await serve({ agents: { a: agent } });
    const open = openChat(service, "/agents/a/ui", { id: "c1" });
    await open.chat.sendMessage({ text: "First?" });
    await open.chat.sendMessage({ text: "Second?" });

    await open.chat.regenerate();
    expect(lastText(open)).toBe("Two again.");
    expect(model.calls[2]?.messages.map(({ content }) => content)).toEqual(["First?", "One.", "Second?"]);

    await open.chat.sendMessage({ text: "First, better?", messageId: open.chat.messages[0]?.id ?? "" });
    expect(open.chat.error).toBeUndefined();
    expect(lastText(open)).toBe("One again.");
    expect(model.calls[3]?.messages.map(({ content }) => content)).toEqual(["First, better?"]);
    expect((await service.ask("/sessions/c1")).json).toMatchObject({ turns: 1 });
  });

  it("tells of a failure before the answer by its status, and of a later one by an error chunk with its code [http.ui-errors]", async () => {
    const error = new TroupeError("rate_limited", "Slow down.");
    const { agent } = scripted({ error }, { text: "I begin", chunkDelayMs: 5, error });
    const service = await serve({ agents: { a: agent } });
    const early = openChat(service, "/agents/a/ui", { id: "c1" });
    await early.chat.sendMessage({ text: "Hello?" });
    expect(early.chat.status).toBe("error");
    expect(JSON.parse(early.chat.error?.message ?? "")).toMatchObject({ error: { code: "rate_limited" } });

    const late = openChat(service, "/agents/a/ui", { id: "c2" });
    await late.chat.sendMessage({ text: "Hello?" });
    await checkChunks(late.chunks);
    expect(late.chat.error?.message).toMatch(/\S/);
    expect(late.chat.messages.at(-1)).toMatchObject({ metadata: { error: { code: "rate_limited" } } });
    expect(lastText(late)).toBe("I begin");

    const unknown = openChat(service, "/agents/b/ui", { id: "c1" });
    await unknown.chat.sendMessage({ text: "Hello?" });
    expect(JSON.parse(unknown.chat.error?.message ?? "")).toMatchObject({ error: { code: "not_found" } });
  });

  it("aborts the call to the vendor when the page stops, unless its run is to continue [http.ui-disconnect]", async () => {
    const { agent, model } = scripted(
      { text: "One two three four five.", chunkDelayMs: 20 },
      { text: "Six seven.", chunkDelayMs: 20 },
    );
    for (const [index, chat] of ([{}, { onDisconnect: "continue" }] as const).entries()) {
      const service = await serve({ agents: { a: agent } }, { chat });
      const open = openChat(service, "/agents/a/ui", { id: `c${index}` });
      const sent = open.chat.sendMessage({ text: "Count." });
      await vi.waitFor(() => expect(lastText(open)).toMatch(/^One|^Six/), { timeout: 10_000, interval: 2 });
      await open.chat.stop();
      await sent;
      await vi.waitFor(() => expect(model.calls[index]?.end).toBe(index === 0 ? "cancelled" : "completed"), {
        timeout: 10_000,
      });
    }
  });

  it("is not served without its protocol", async () => {
    const service = await serve({ agents: { a: talker() }, onDisconnect: "cancel" }, { protocols: [http()] });
    expect((await service.post("/agents/a/ui", { id: "c1", messages: [] })).status).toBe(404);
    expect((await service.ask("/agents/a/ui/c1/stream")).status).toBe(404);
  });
});
