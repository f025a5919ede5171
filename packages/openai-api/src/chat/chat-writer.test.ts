import type { RunWait, StreamChunk } from "@troupe/core";
import { describe, expect, it } from "vitest";
import type { PartEvent } from "../run/part-events.ts";
import { PartUsage } from "../run/part-usage.ts";
import { ChatWriter, toChatCalls, toFinishReason } from "./chat-writer.ts";
import type { ChatFacts } from "./chat-writer.ts";

const usage = { promptTokens: 5, completionTokens: 2, totalTokens: 7 };
const chatUsage = {
  prompt_tokens: 5,
  completion_tokens: 2,
  total_tokens: 7,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};
const runId = "00000000-0000-4000-8000-000000000001";
const callId = (waitId: string) => `call_${Buffer.from(`${runId}/${waitId}`).toString("base64url")}`;

const chunk = (given: object) => ({ type: "chunk", chunk: given as StreamChunk }) as PartEvent;
const wait = (given: object) => ({ type: "wait", wait: given as RunWait }) as PartEvent;
const text = (piece: string) => chunk({ type: "text", text: piece });
const start = (name: string) => chunk({ type: "tool_call_start", toolCall: { id: "c", name } });
const result = (toolName: string) => chunk({ type: "tool_result", toolCallId: "c", toolName, result: 1 });
const asks = (id: string, toolName: string, args?: object) => ({ id, kind: "input", about: { toolName, args } });

const role = { delta: { role: "assistant", content: "" } };
const status = (description: string, done: boolean) => ({ event: { type: "status", data: { description, done } } });
const end = (finish_reason: string) => ({ delta: {}, finish_reason });
const call = (waitId: string, name: string, args: string) => ({
  id: callId(waitId),
  type: "function",
  function: { name, arguments: args },
});

/** Writes events and the end of a run. Returns what differs between its chunks. */
function play(events: readonly PartEvent[], facts: Partial<ChatFacts> = {}, includeUsage = false): object[] {
  const chunks: object[] = [];
  const about = {
    runId,
    id: "chatcmpl-1",
    created: 5,
    model: "helper",
    tools: "status",
    clientTools: new Set<string>(),
    used: new PartUsage(),
  };
  const writer = new ChatWriter({ ...(about as ChatFacts), ...facts }, (each) => {
    chunks.push(each);
  });
  for (const event of events) writer.take(event);
  writer.finish(includeUsage);
  return chunks.map((each) => {
    const { choices, ...rest } = each as { choices: Record<string, unknown>[] };
    const { id, object, created, model, ...more } = rest as Record<string, unknown>;
    expect([id, object, created, model]).toEqual(["chatcmpl-1", "chat.completion.chunk", 5, "helper"]);
    if (choices.length === 0) return more;
    const [{ index, delta, logprobs, finish_reason: reason, ...others } = {}, ...rest2] = choices;
    expect([index, logprobs, others, rest2, more]).toEqual([0, null, {}, [], {}]);
    return reason === null ? { delta } : { delta, finish_reason: reason };
  });
}

describe("the chunks of a completion", () => {
  it.each<[string, PartEvent[], object[]]>([
    ["no event", [], [role, end("stop")]],
    ["text", [text("é"), text("b")], [role, { delta: { content: "é" } }, { delta: { content: "b" } }, end("stop")]],
    ["thinking", [chunk({ type: "thinking", text: "a" })], [role, { delta: { reasoning_content: "a" } }, end("stop")]],
    [
      "a tool between texts",
      [text("a"), start("weather"), result("weather"), text("b"), text("c")],
      [
        role,
        { delta: { content: "a" } },
        status("weather", false),
        status("weather", true),
        { delta: { content: "\n\nb" } },
        { delta: { content: "c" } },
        end("stop"),
      ],
    ],
    [
      "a tool before text",
      [start("weather"), result("weather"), text("b")],
      [role, status("weather", false), status("weather", true), { delta: { content: "b" } }, end("stop")],
    ],
    [
      "an argument of a call",
      [chunk({ type: "tool_call_delta", toolCallId: "c", argumentsDelta: "{" })],
      [role, end("stop")],
    ],
    [
      "sources",
      [
        chunk({ type: "source", url: "https://e.x/a" }),
        chunk({ type: "source", url: "https://e.x/b", title: "é" }),
        chunk({ type: "source", title: "no address" }),
      ],
      [
        role,
        ...[
          { url: "https://e.x/a", title: "https://e.x/a" },
          { url: "https://e.x/b", title: "é" },
        ].map((cited) => ({
          delta: {
            annotations: [{ type: "url_citation", url_citation: { ...cited, start_index: 0, end_index: 0 } }],
          },
        })),
        end("stop"),
      ],
    ],
    ["an end by length", [chunk({ type: "finish", finishReason: "length", usage })], [role, end("length")]],
    [
      "questions, each once",
      [
        wait(asks("w/1", "get_time", { zone: "é" })),
        wait(asks("w/1", "get_time", {})),
        wait({ id: "w2", kind: "approval", about: {} }),
        wait(asks("w3", "get_place")),
        wait({ id: "w4", kind: "input" }),
        chunk({ type: "finish", finishReason: "length", usage }),
      ],
      [
        role,
        {
          delta: {
            tool_calls: [
              { index: 0, ...call("w/1", "get_time", '{"zone":"é"}') },
              { index: 1, ...call("w3", "get_place", "{}") },
              { index: 2, ...call("w4", "tool", "{}") },
            ],
          },
        },
        end("tool_calls"),
      ],
    ],
  ])("of %s are these", (_, events, chunks) => {
    expect(play(events)).toEqual(chunks);
  });

  it.each<[ChatFacts["tools"], object[]]>([
    ["status", [status("weather", false), status("weather", true)]],
    [
      "reasoning",
      [{ delta: { reasoning_content: "Calling weather. " } }, { delta: { reasoning_content: "Used weather.\n" } }],
    ],
    ["hidden", []],
  ])("show tools of the agent, and none of the client's, by the option %s", (tools, shown) => {
    const events = [start("weather"), start("get_time"), result("weather"), result("get_time")];

    expect(play(events, { tools, clientTools: new Set(["get_time"]) })).toEqual([role, ...shown, end("stop")]);
  });

  it("have the usage of the last finish at their end, if the client asks for it", () => {
    const finish = (totalTokens: number) =>
      chunk({ type: "finish", finishReason: "stop", usage: { ...usage, totalTokens } });

    expect(play([finish(1), finish(7)], {}, true)).toEqual([role, end("stop"), { usage: chatUsage }]);
    expect(play([finish(7)])).toEqual([role, end("stop")]);
    expect(play([], {}, true)).toEqual([role, end("stop")]);
  });

  it("have the text and the usage of a workflow", () => {
    const chunks: Record<string, unknown>[] = [];
    const about = { runId, id: "i", created: 1, model: "m", tools: "hidden" } as const;
    const facts = { ...about, clientTools: new Set<string>(), used: new PartUsage() };
    const writer = new ChatWriter(facts, (each) => {
      chunks.push(each as Record<string, unknown>);
    });
    writer.addText({ text: "é", usage });
    expect(writer.usage).toBe(usage);
    writer.finish(true);

    expect(chunks[1]).toMatchObject({ choices: [{ delta: { content: "é" } }] });
    expect(chunks.at(-1)?.["usage"]).toEqual(chatUsage);
  });
});

it.each([
  [undefined, "stop"],
  ["stop", "stop"],
  ["tool_roundtrips", "stop"],
  ["length", "length"],
  ["content_filter", "content_filter"],
])("the finish reason %s of a model is %s", (reason, shown) => {
  expect(toFinishReason(reason)).toBe(shown);
});

it("a completion at once has the calls of all questions for input", () => {
  const waits = [asks("w1", "a", { b: 1 }), { id: "w2", kind: "approval" }, asks("w3", "c")] as unknown as RunWait[];

  expect(toChatCalls(runId, waits)).toEqual([
    { id: callId("w1"), type: "function", function: { name: "a", arguments: '{"b":1}' } },
    { id: callId("w3"), type: "function", function: { name: "c", arguments: "{}" } },
  ]);
});
