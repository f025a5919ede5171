import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../message/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { trimHistory } from "./trim-history.ts";

describe("trimHistory", () => {
  it("returns a history that fits as the same array", () => {
    const history = [...turn("one"), ...turn("two")];

    expect(trimHistory(history, { maxTurns: 2, maxContextTokens: 10_000 })).toBe(history);
    expect(trimHistory(history, {})).toBe(history);
  });

  it("keeps the newest turns and leading instructions", () => {
    const system: ChatMessage = { role: "system", content: "be kind" };

    expect(trimHistory([system, ...turn("one"), ...turn("two")], { maxTurns: 1 })).toEqual([system, ...turn("two")]);
  });

  it("keeps no turn with maxTurns 0", () => {
    expect(trimHistory(turn("one"), { maxTurns: 0, maxContextTokens: 10 })).toEqual([]);
  });

  it("subtracts reservedTokens", () => {
    const history = [...turn("one"), ...turn("two")];
    const maxContextTokens = estimateTokens(history);

    expect(trimHistory(history, { maxContextTokens })).toBe(history);
    expect(trimHistory(history, { maxContextTokens, reservedTokens: 1 })).toEqual(turn("two"));
  });

  it("cuts the newest turn between its steps when it does not fit alone", () => {
    const [user, answer] = turn("now") as [ChatMessage, ChatMessage];
    const history = [...turn("before"), user, ...step("a"), ...step("b"), answer];

    expect(trimHistory(history, { maxContextTokens: estimateTokens([user, ...step("b"), answer]) })).toEqual([
      user,
      ...step("b"),
      answer,
    ]);
    expect(trimHistory(history, { maxContextTokens: estimateTokens([user, answer]) - 1 })).toEqual([]);
  });

  it("keeps no older turn once one was left out", () => {
    const history = [...turn("short"), ...turn("long ".repeat(100)), ...turn("short")];

    expect(trimHistory(history, { maxContextTokens: estimateTokens(turn("short")) * 2 })).toEqual(turn("short"));
  });
});

function turn(text: string): ChatMessage[] {
  return [
    { role: "user", content: text },
    { role: "assistant", content: `You said ${text}.` },
  ];
}

function step(id: string): ChatMessage[] {
  return [
    { role: "assistant", content: null, toolCalls: [{ id, name: "look", arguments: {} }] },
    { role: "tool", toolCallId: id, content: "seen" },
  ];
}
