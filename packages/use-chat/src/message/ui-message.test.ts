import type { RunEvent } from "@troupe/core/runs";
import { noUsage } from "@troupe/core/provider";
import { lastAssistantMessageIsCompleteWithToolCalls, readUIMessageStream } from "ai";
import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { checkChunks, typesOf } from "../../test/chat.ts";
import { UiMessage } from "./ui-message.ts";

type Told = RunEvent extends infer Each ? (Each extends RunEvent ? Omit<Each, "id"> : never) : never;

/** An event of a chunk, of a journal step or of none. */
function chunk(fields: { type: string; [field: string]: unknown }, step = ""): Told {
  return { type: "chunk", step, chunk: fields };
}

const call = { type: "tool_call_start", toolCall: { id: "t1", name: "look" } };
const result = { type: "tool_result", toolCallId: "t1", toolName: "look", result: "Seen.", durationMs: 1 };

/** Has the SDK read the message of events, and returns its chunks and the last state of the message. */
async function read(...events: Told[]): Promise<{ chunks: UIMessageChunk[]; message: UIMessage | undefined }> {
  const chunks: UIMessageChunk[] = [{ type: "start", messageId: "m1" }];
  const made = new UiMessage("m1", (each) => void chunks.push(each as UIMessageChunk));
  for (const event of events) made.take({ ...event, id: "1.1" });
  made.finish(noUsage);
  await checkChunks(chunks);
  let message: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream: ReadableStream.from(chunks), terminateOnError: true }))
    message = state;
  return { chunks, message };
}

describe("UiMessage", () => {
  it("ends with an empty step behind a tool's result: a page that answers by itself sends nothing [http.ui-message]", async () => {
    const { chunks, message } = await read(chunk(call), chunk(result));

    expect(typesOf(chunks).slice(-4)).toEqual(["finish-step", "start-step", "finish-step", "finish"]);
    expect(lastAssistantMessageIsCompleteWithToolCalls({ messages: message === undefined ? [] : [message] })).toBe(
      false,
    );
  });

  it("begins a step behind a result, and for each model call, also of a run without a journal [http.ui-message]", async () => {
    const { message } = await read(
      chunk({ type: "text", text: "I look." }),
      chunk(call),
      chunk({ type: "tool_call_delta", toolCallId: "t1", argumentsDelta: '{"at":"it"}' }),
      chunk(result),
      chunk({ type: "text", text: "I saw." }),
    );

    expect(message?.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "I look.", state: "done" },
      { type: "tool-look", input: { at: "it" }, output: "Seen." },
      { type: "step-start" },
      { type: "text", text: "I saw.", state: "done" },
    ]);
  });

  it("takes back what a step has said when another process makes it anew [http.ui-takeover]", async () => {
    const { message } = await read(
      chunk({ type: "text", text: "First." }, "m/0"),
      chunk(call, "m/0"),
      { type: "done", step: "m/0", value: null, durationMs: 1 },
      chunk(result),
      chunk({ type: "text", text: "Half of an ans" }, "m/1"),
      chunk({ type: "tool_call_start", toolCall: { id: "t2", name: "look" } }, "m/1"),
      { type: "attempt", attempt: 2, node: "n" },
      { type: "reset", step: "m/1" },
      chunk({ type: "text", text: "Whole answer." }, "m/1"),
    );

    expect(message?.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "First." },
      { type: "tool-look", state: "output-available" },
      { type: "step-start" },
      { type: "text", text: "Whole answer.", state: "done" },
    ]);
  });

  it("tells a question that a page cannot answer as data, and the progress of tools in passing [http.ui-message]", async () => {
    const { chunks, message } = await read(
      chunk({ type: "tool_progress", toolCallId: "t1", toolName: "look", progress: { percent: 50 } }),
      { type: "wait", wait: { id: "t.0.0.doubt", kind: "doubt", about: { toolName: "look" }, toolCallId: "t1" } },
    );

    expect(chunks[1]).toMatchObject({
      type: "data-tool-progress",
      transient: true,
      data: { progress: { percent: 50 } },
    });
    expect(message?.parts[1]).toMatchObject({
      type: "data-wait",
      data: { runId: "m1", waitId: "t.0.0.doubt", kind: "doubt" },
    });
  });

  it("names the member that speaks in the metadata of its part [use-chat.members]", async () => {
    const start = { type: "tool_call_start", toolCall: { id: "d1", name: "delegate_to_ann" } };
    const { message } = await read(
      chunk(start),
      chunk({ type: "text", text: "Let me", member: "ann", delegationId: "d1" }, "t/0/0/run/c0/m/0"),
      chunk({ type: "text", text: " see.", member: "ann", delegationId: "d1" }, "t/0/0/run/c0/m/0"),
      chunk({ ...result, toolCallId: "d1", toolName: "delegate_to_ann" }),
      chunk({ type: "text", text: "Answer." }, "m/1"),
    );

    expect(message?.parts).toMatchObject([
      { type: "step-start" },
      { type: "tool-delegate_to_ann", state: "output-available" },
      { type: "text", text: "Let me see.", state: "done", providerMetadata: { troupe: { member: "ann" } } },
      { type: "step-start" },
      { type: "text", text: "Answer." },
    ]);
    expect(JSON.stringify(message?.parts.at(-1))).not.toContain("providerMetadata");
  });

  it("is interrupted where version 6 of the SDK cannot take back a step [use-chat.sdk-6]", () => {
    const chunks: object[] = [];
    const made = new UiMessage(
      "m1",
      (each) => void chunks.push(each),
      () => false,
    );
    made.take({ ...chunk({ type: "text", text: "Half" }, "m/0"), id: "1.1" });

    expect(() => made.take({ type: "reset", step: "m/1", id: "1.2" })).not.toThrow();
    expect(() => made.take({ type: "reset", step: "m/0", id: "1.2" })).toThrow(
      expect.objectContaining({ code: "interrupted" }) as Error,
    );
    expect(chunks).not.toContainEqual({ type: "reset-step" });
  });
});
