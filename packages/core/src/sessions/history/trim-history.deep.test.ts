import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, inject, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
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

const numRuns = { few: 200, many: 20_000 }[inject("trials")];

describe("trimHistory", () => {
  it("never returns a history that a vendor would refuse, nor one beyond the limits", () => {
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
      { numRuns: 5 * numRuns },
    );
  });

  it("keeps a repaired history acceptable", () => {
    fc.assert(
      fc.property(brokenHistory, limits, (messages, given) =>
        assertVendorWouldAccept(trimHistory(repairHistory(messages), given)),
      ),
      { numRuns },
    );
  });

  it("drops at most a quarter of the turns that would have fit", () => {
    fc.assert(
      fc.property(soundHistory, fc.nat(900), (messages, maxContextTokens) => {
        const turns = turnsIn(messages);
        const kept = turnsIn(trimHistory(messages, { maxContextTokens }));
        if (kept.length === 0 || kept.length === turns.length) return;
        const instructions = messages.filter(({ role }) => role === "system");
        const beyond = Math.floor((4 * kept.length) / 3) + 1;
        const more = [...instructions, ...turns.slice(-beyond).flat()];
        assert.ok(beyond > turns.length || estimateTokens(more) > maxContextTokens);
      }),
      { numRuns },
    );
  });
});

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
