import { describe, expect, it } from "vitest";
import { CallIds } from "./call-ids.ts";

/** Opens calls of these ids, and returns the ids that they are sent with. */
function open(ids: CallIds, ...given: string[]): string[] {
  return given.map((id) => {
    const call = { id };
    ids.open(call);
    return call.id;
  });
}

describe("CallIds", () => {
  it.each([
    ["toolu_01-a", "toolu_01-a"],
    ["functions.look:0", "functions_look_0"],
    ["größe", "gr__e"],
    ["", "call"],
    ["a\n", "a_"],
    ["__proto__", "__proto__"],
  ])("sends %j as %j", (given, sent) => {
    const ids = new CallIds();

    expect(open(ids, given)).toEqual([sent]);
    expect(ids.take(given)).toBe(sent);
  });

  it("gives each call an id of its own, also in later rounds", () => {
    const ids = new CallIds();

    expect(open(ids, "a", "a", "a_2", "a.2", "a")).toEqual(["a", "a_2", "a_2_2", "a_2_3", "a_3"]);
    ids.takeAll();
    expect(open(ids, "a", "b")).toEqual(["a_4", "b"]);
  });

  it("gives results the ids of their calls, in the order of the calls, each once", () => {
    const ids = new CallIds();
    open(ids, "a", "b", "a");

    expect([ids.take("a"), ids.take("b"), ids.take("a"), ids.take("a"), ids.take("x")]).toEqual([
      "a",
      "b",
      "a_2",
      undefined,
      undefined,
    ]);
  });

  it("returns the calls without a result, once", () => {
    const ids = new CallIds();
    open(ids, "a", "b", "c.1");
    ids.take("b");

    expect([ids.takeAll(), ids.takeAll(), ids.take("a")]).toEqual([["a", "c_1"], [], undefined]);
  });
});
