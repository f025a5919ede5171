import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../message/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { repairHistory } from "./repair-history.ts";
import { assertVendorWouldAccept } from "./test/assert-vendor-would-accept.ts";
import { brokenHistory, soundHistory } from "./test/histories.ts";
import { trimHistory } from "./trim-history.ts";

const limits = fc.record({
  maxTurns: fc.option(fc.nat(6), { nil: undefined }),
  maxContextTokens: fc.option(fc.nat(900), { nil: undefined }),
  reservedTokens: fc.option(fc.nat(200), { nil: undefined }),
});

describe("trimHistory", () => {
  it("never yields a history that a vendor would refuse, nor one that passes the limits", () => {
    fc.assert(
      fc.property(soundHistory, limits, (messages, given) => {
        const trimmed = trimHistory(messages, given);
        assertVendorWouldAccept(trimmed);
        assert.ok(isSubsequence(trimmed, messages));
        assert.ok(turnsIn(trimmed).length <= (given.maxTurns ?? Infinity));
        const conversation = trimmed.filter(({ role }) => role !== "system");
        const room = (given.maxContextTokens ?? Infinity) - (given.reservedTokens ?? 0);
        assert.ok(conversation.length === 0 || estimateTokens(trimmed) <= room);
      }),
      { numRuns: 100_000 },
    );
  }, 60_000);

  it("keeps a broken history acceptable once it is repaired", () => {
    fc.assert(
      fc.property(brokenHistory, limits, (messages, given) =>
        assertVendorWouldAccept(trimHistory(repairHistory(messages), given)),
      ),
      { numRuns: 20_000 },
    );
  });

  it("drops no turn that would have fitted", () => {
    fc.assert(
      fc.property(soundHistory, fc.nat(900), (messages, maxContextTokens) => {
        const turns = turnsIn(messages);
        const kept = turnsIn(trimHistory(messages, { maxContextTokens }));
        if (kept.length === 0 || kept.length === turns.length) return;
        const instructions = messages.filter(({ role }) => role === "system");
        const oneMore = [...instructions, ...turns.slice(-kept.length - 1).flat()];
        assert.ok(estimateTokens(oneMore) > maxContextTokens);
      }),
      { numRuns: 20_000 },
    );
  });

  it("returns a history that fits as it is", () => {
    const history = [...turn("one"), ...turn("two")];

    expect(trimHistory(history, { maxTurns: 2, maxContextTokens: 10_000 })).toBe(history);
    expect(trimHistory(history, {})).toBe(history);
  });

  it("keeps the newest turns and the instructions in front", () => {
    const system: ChatMessage = { role: "system", content: "be kind" };

    expect(trimHistory([system, ...turn("one"), ...turn("two")], { maxTurns: 1 })).toEqual([system, ...turn("two")]);
  });

  it("keeps no turn when none is wanted", () => {
    expect(trimHistory(turn("one"), { maxTurns: 0, maxContextTokens: 10 })).toEqual([]);
  });

  it("counts what is reserved", () => {
    const history = [...turn("one"), ...turn("two")];
    const maxContextTokens = estimateTokens(history);

    expect(trimHistory(history, { maxContextTokens })).toBe(history);
    expect(trimHistory(history, { maxContextTokens, reservedTokens: 1 })).toEqual(turn("two"));
  });

  it("cuts the newest turn between its steps when it does not fit by itself", () => {
    const [user, answer] = turn("now") as [ChatMessage, ChatMessage];
    const history = [...turn("before"), user, ...step("a"), ...step("b"), answer];

    expect(trimHistory(history, { maxContextTokens: estimateTokens([user, ...step("b"), answer]) })).toEqual([
      user,
      ...step("b"),
      answer,
    ]);
    expect(trimHistory(history, { maxContextTokens: estimateTokens([user, answer]) - 1 })).toEqual([]);
  });

  it("does not go on with older turns behind one that was left out", () => {
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

function turnsIn(messages: readonly ChatMessage[]): ChatMessage[][] {
  const turns: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === "user") turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

function isSubsequence(part: readonly ChatMessage[], whole: readonly ChatMessage[]): boolean {
  let next = 0;
  for (const message of whole) if (message === part[next]) next++;
  return next === part.length;
}
