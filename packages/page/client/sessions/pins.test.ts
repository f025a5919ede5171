import { describe, expect, it } from "vitest";
import { storedInMemory } from "../test/fake-services.ts";
import { sessionOf } from "../test/fake-services.ts";
import { Pins } from "./pins.ts";

const idsOf = ({ state }: Pins) => state.pinned.map(({ sessionId }) => sessionId);

describe("the pinned sessions", () => {
  it("are the newest pin first, and are there again after a reload", () => {
    const stored = storedInMemory();
    const pins = new Pins(stored);
    pins.toggle(sessionOf("a", 1, "Å"));
    pins.toggle(sessionOf("b", 2));
    expect(idsOf(pins)).toEqual(["b", "a"]);
    expect(new Pins(stored).state).toEqual(pins.state);

    pins.toggle(sessionOf("b", 3));
    expect(idsOf(pins)).toEqual(["a"]);
    pins.rename("a", "Ö");
    expect(new Pins(stored).state.pinned).toEqual([sessionOf("a", 1, "Ö")]);
    pins.forget("none");
    pins.forget("a");
    expect(stored.value).toBeUndefined();
  });

  it("are at most 50", () => {
    const pins = new Pins(storedInMemory());
    for (let at = 0; at <= 50; at++) pins.toggle(sessionOf(String(at), at));
    expect(idsOf(pins)).toHaveLength(50);
    expect(idsOf(pins).at(-1)).toBe("1");
  });

  it.each([
    null,
    {},
    [null],
    ["a"],
    [{ sessionId: "a" }],
    [{ ...sessionOf("a", 1), title: 1 }],
    [{ ...sessionOf("a", 1), updatedAt: "1" }],
  ])("are none where another program has stored %j", (value) => {
    expect(new Pins({ ...storedInMemory(), value } as never).state.pinned).toEqual([]);
  });
});
