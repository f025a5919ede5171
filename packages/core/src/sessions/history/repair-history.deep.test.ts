import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, inject, it } from "vitest";
import { repairHistory } from "./repair-history.ts";
import { assertVendorWouldAccept } from "./test/assert-vendor-would-accept.ts";
import { brokenHistory, soundHistory } from "./test/histories.ts";

const share = { few: 1, many: 20 }[inject("trials")];

describe("repairHistory", () => {
  it("turns any messages into what every vendor accepts, and leaves its own result alone", () => {
    fc.assert(
      fc.property(brokenHistory, (messages) => {
        const repaired = repairHistory(messages);
        assertVendorWouldAccept(repaired);
        assert.equal(repairHistory(repaired), repaired);
      }),
      { numRuns: 5000 * share },
    );
  });

  it("returns a valid history as the same array", () => {
    fc.assert(
      fc.property(soundHistory, (messages) => repairHistory(messages) === messages),
      { numRuns: 1000 * share },
    );
  });
});
