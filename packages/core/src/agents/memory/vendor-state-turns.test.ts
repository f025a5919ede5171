import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { emptyMemory } from "./memory-record.ts";
import { withVendorStateTurn } from "./vendor-state-turns.ts";

const turn: ChatMessage[] = [
  { role: "user", content: "Hi" },
  { role: "assistant", content: "Hello" },
];
const turns = (count: number) => Array.from({ length: count }, () => turn).flat();
const recordWith = (...vendorStateTurns: [number, number][]) => ({
  ...emptyMemory,
  vendorStateTurns: vendorStateTurns.map(([seq, fromEnd]) => ({ seq, fromEnd })),
});

describe("withVendorStateTurn", () => {
  it.each([
    ["has no state of a vendor", { through: 1 }],
    ["says that it has none", { hasVendorState: false, through: 1 }],
    ["has state but no number", { hasVendorState: true }],
  ])("leaves a record without such turns as it is, when the turn %s", (_, options) => {
    expect(withVendorStateTurn(emptyMemory, { added: turn, window: turn }, options)).toEqual(emptyMemory);
  });

  it("notes the first turn, as the last of the window", () => {
    const noted = withVendorStateTurn(emptyMemory, { added: turn, window: turn }, { hasVendorState: true, through: 7 });

    expect(noted).toEqual({ ...emptyMemory, vendorStateTurns: [{ seq: 7, fromEnd: 1 }] });
  });

  it("moves those before by the inputs that were added, and keeps those in the window", () => {
    const record = recordWith([3, 4], [4, 3], [6, 1]);
    const next = (window: number, added = turn) =>
      withVendorStateTurn(record, { added, window: turns(window) }, { hasVendorState: true, through: 7 })
        .vendorStateTurns?.map(({ seq, fromEnd }) => `${seq}@${fromEnd}`)
        .join(" ");

    expect(next(9)).toBe("3@5 4@4 6@2 7@1");
    expect(next(5)).toBe("3@5 4@4 6@2 7@1");
    expect(next(4)).toBe("4@4 6@2 7@1");
    expect(next(2)).toBe("6@2 7@1");
    expect(next(1)).toBe("7@1");
    expect(next(0)).toBe("");
    expect(next(9, turns(2))).toBe("3@6 4@5 6@3 7@1");
    expect(next(9, [{ role: "assistant", content: "More" }])).toBe("3@4 4@3 6@1 7@1");
  });

  it("moves those before also for a turn without state, and for messages without a number", () => {
    for (const options of [{ through: 8 }, { hasVendorState: true }, {}]) {
      const { vendorStateTurns } = withVendorStateTurn(recordWith([6, 1]), { added: turn, window: turns(3) }, options);
      expect(vendorStateTurns).toEqual([{ seq: 6, fromEnd: 2 }]);
    }
  });

  it("changes nothing of the record that it was given", () => {
    const record = recordWith([6, 1]);
    withVendorStateTurn(record, { added: turn, window: turn }, { hasVendorState: true, through: 7 });

    expect(record).toEqual(recordWith([6, 1]));
  });
});
