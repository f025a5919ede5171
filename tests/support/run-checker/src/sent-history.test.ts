import type { ChatMessage } from "@troupe/core";
import { describe, expect, it } from "vitest";
import type { DialectName } from "@troupe-internal/vendor-fakes";
import { historyFaults } from "./invariants/valid-history.ts";
import { sentHistory } from "./sent-history.ts";
import { wireBodies } from "./test/wire-bodies.ts";

const conversation: ChatMessage[] = [
  { role: "user", content: "Oslo and Rome?" },
  {
    role: "assistant",
    content: "Let me look.",
    toolCalls: [
      { id: "a", name: "weather", arguments: {} },
      { id: "b", name: "weather", arguments: {} },
    ],
  },
  { role: "tool", toolCallId: "a", content: "rain" },
  { role: "tool", toolCallId: "b", content: "sun" },
  { role: "assistant", content: "Rain and sun." },
  { role: "user", content: "Thanks" },
];

const dialects = Object.keys(wireBodies) as DialectName[];

function sent(dialect: DialectName, messages: readonly ChatMessage[]) {
  const request = { method: "POST", url: "/", headers: {}, body: wireBodies[dialect](messages) };
  return sentHistory({
    dialect,
    route: { kind: "chat", modelId: "m", stream: false },
    request,
    key: "k",
    end: "completed",
  });
}

describe.each(dialects)("a conversation in the dialect %s", (dialect) => {
  it("is read as it was sent", () => {
    const history = sent(dialect, conversation) ?? [];

    expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant", "user"]);
    expect(history.map(({ text }) => text)[4]).toBe("Rain and sun.");
    expect(history[1]?.calls).toEqual([history[2]?.answers, history[3]?.answers]);
    expect([...historyFaults(history)]).toEqual([]);
  });

  it("has a fault without one of the results", () => {
    const history = sent(dialect, conversation.toSpliced(3, 1)) ?? [];

    expect([...historyFaults(history)].join()).toMatch(/has no result before the next message/);
  });

  it("has a fault without the calls", () => {
    const history = sent(dialect, conversation.toSpliced(1, 1)) ?? [];

    expect([...historyFaults(history)].join()).toMatch(/has no call right before it/);
  });
});

describe("a request that is not a chat request", () => {
  it("carries no conversation", () => {
    const request = { method: "POST", url: "/", headers: {}, body: { input: "text" } };
    const route = { kind: "embeddings", modelId: "m", stream: false } as const;

    expect(sentHistory({ dialect: "openai-chat", route, request, key: "k", end: "completed" })).toBeUndefined();
    expect(sentHistory({ dialect: undefined, route: undefined, request, key: "k", end: "completed" })).toBeUndefined();
  });
});

it("sentHistory reads a string input of Responses as a user message", () => {
  const request = { method: "POST", url: "/", headers: {}, body: { input: "Oslo?" } };
  const route = { kind: "chat", modelId: "m", stream: false } as const;

  expect(sentHistory({ dialect: "openai-responses", route, request, key: "k", end: "completed" })).toEqual([
    { role: "user", text: "Oslo?", calls: [] },
  ]);
});

describe("a history", () => {
  const say = (role: string) => ({ role, text: "x", calls: [] });

  it.each([
    ["instructions come after other messages", [say("user"), say("system")]],
    ["an assistant message comes before any user message", [say("system"), say("assistant")]],
    ["two calls of one message have the id 1", [say("user"), { ...say("assistant"), calls: ["1", "1"] }]],
  ])("has a fault when %s", (fault, history) => {
    expect([...historyFaults(history)][0]).toBe(fault);
  });
});
