import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { Agent } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { anthropic, chat, gemini, models, ollama, responses, toFrame } from "./vendor-events.ts";
import type { Dialect } from "./vendor-events.ts";

const piece = "x".repeat(1_048_576);

/** Pieces of a text, and of a call's arguments, that each dialect may send without end. */
const endless: Readonly<Record<Dialect, Readonly<Record<string, [begin: object[], next: object]>>>> = {
  Chat: {
    text: [[], chat.delta({ content: piece })],
    thinking: [[], chat.delta({ reasoning_content: piece })],
    arguments: [
      [chat.delta({ tool_calls: [{ index: 0, id: "c", function: { name: "look", arguments: "{" } }] })],
      chat.delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
    ],
  },
  Responses: {
    text: [[], responses.textDelta(piece)],
    arguments: [
      [responses.itemAdded(responses.callItem({ arguments: "" }))],
      { type: "response.function_call_arguments.delta", output_index: 0, delta: piece },
    ],
  },
  Anthropic: {
    text: [
      [anthropic.started, ...anthropic.block({ type: "text", text: "" }).slice(0, 1)],
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } },
    ],
    arguments: [
      [anthropic.started, ...anthropic.block({ type: "tool_use", id: "c", name: "look", input: {} }).slice(0, 1)],
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: piece } },
    ],
  },
  Gemini: {
    text: [[], gemini.parts({ text: piece })],
    thinking: [[], gemini.parts({ text: piece, thought: true })],
  },
  Ollama: {
    text: [[], ollama.line({ content: piece })],
    thinking: [[], ollama.line({ thinking: piece })],
  },
};

/** Starts a vendor that never stops. Returns its URL, and a function that tells if its reader has left. */
async function startEndless(dialect: Dialect, begin: object[], next: object) {
  let hasLeft = false;
  const frame = toFrame(dialect, next);
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": dialect === "Ollama" ? "application/x-ndjson" : "text/event-stream" });
    for (const event of begin) response.write(toFrame(dialect, event));
    const write = () => void setImmediate(() => response.write(frame) && write());
    response.on("drain", write).on("close", () => (hasLeft = true));
    write();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hasLeft: () => hasLeft };
}

const cases = Object.entries(endless).flatMap(([dialect, kinds]) =>
  Object.entries(kinds).map(([kind, events]) => [dialect as Dialect, kind, events] as const),
);

describe("an answer without end", () => {
  it.each(cases)(
    "an answer without end of %s, in its %s, is ended with its request [model-calls.endless]",
    async (dialect, _kind, [begin, next]) => {
      const { url, hasLeft } = await startEndless(dialect, begin, next);
      const agent = new Agent({ name: "a", model: models[dialect](url) });

      await expect(agent.stream("Hi").output).rejects.toMatchObject({
        code: "model_failed",
        message: "The model's answer is longer than 16777216 characters. It was ended there.",
      });
      await vi.waitFor(() => expect(hasLeft()).toBe(true));
    },
  );
});
