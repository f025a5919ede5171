import { describe, expect, it } from "vitest";
import { noInterface, promisesStreams, readCard } from "./remote-interfaces.ts";

describe("the body of a card", () => {
  it.each([null, undefined, 7, "card", [], [{ name: "a" }], {}, { name: "" }, { name: " " }, { name: 7 }])(
    "is no card if it is %j",
    (body) => {
      expect(readCard(body)).toBeUndefined();
    },
  );

  it("is a card with a name, as it came", () => {
    const body = { name: "Zoë", url: 7, other: [null] };

    expect(readCard(body)).toEqual(body);
  });

  it.each([
    [{ streaming: true }, true],
    [{ streaming: false }, false],
    [{ streaming: "true" }, false],
    [{ streaming: 1 }, false],
    [{}, false],
    [null, false],
    [[], false],
    [true, false],
    [undefined, false],
  ])("the body of a card with the capabilities %j promises streams: %s", (capabilities, expected) => {
    expect(promisesStreams({ name: "a", capabilities })).toBe(expected);
  });

  it("the body of a card without an interface fails with the agent's name", () => {
    expect(noInterface('a"b')).toMatchObject({
      code: "model_failed",
      message: expect.stringContaining('"a\\"b" names no endpoint') as string,
      fields: { remote: 'a"b' },
    });
  });
});
