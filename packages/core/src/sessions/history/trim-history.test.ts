import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
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

  it.each([
    [8, [7, 8], 2],
    [20, [17, 20], 4],
    [50, [43, 50], 8],
    [7, [7, 7], 1],
  ])(
    "leaves out turns in blocks, so that a history of at most %i begins elsewhere but rarely [cache.long-sessions]",
    (maxTurns, [least, most], block) => {
      const all = Array.from({ length: 120 }, (_, index) => turn(`turn ${index}`));
      const seen = all.slice(maxTurns).map((_, index) => {
        const lastTurn = maxTurns + 1 + index;
        const loaded = all.slice(lastTurn - maxTurns, lastTurn).flat();
        const kept = trimHistory(loaded, { maxTurns, lastTurn });
        expect(trimHistory(all.slice(0, lastTurn).flat(), { maxTurns })).toEqual(kept);
        expect(kept).toEqual(loaded.slice(-kept.length));
        return { count: kept.length / 2, first: kept[0]?.content };
      });

      expect([Math.min(...seen.map(({ count }) => count)), Math.max(...seen.map(({ count }) => count))]).toEqual([
        least,
        most,
      ]);
      expect(new Set(seen.map(({ first }) => first)).size).toBe(Math.ceil((120 - maxTurns) / block));
    },
  );

  it("leaves out turns in blocks where they have to fit a number of tokens, and no more of them for it [cache.long-sessions]", () => {
    const all = Array.from({ length: 120 }, (_, index) => turn(`turn ${index + 100}`));
    const maxContextTokens = estimateTokens(all.slice(0, 20).flat());
    const firsts = all.slice(20).map((_, index) => {
      const kept = trimHistory(all.slice(0, 21 + index).flat(), { maxContextTokens });
      expect(kept.length / 2).toBeGreaterThanOrEqual(15);
      expect(estimateTokens(kept)).toBeLessThanOrEqual(maxContextTokens);
      return kept[0]?.content;
    });

    expect(new Set(firsts).size).toBeLessThanOrEqual(25);
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
