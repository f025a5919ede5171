import { describe, expect, it } from "vitest";
import { thrownMessage } from "./thrown-message.ts";

describe("thrownMessage", () => {
  it.each<[unknown, string]>([
    [new Error("No such city."), "No such city."],
    [{ message: "No such city." }, "No such city."],
    ["No such city.", "No such city."],
    [404, "404"],
    [0, "0"],
    [false, "false"],
    [new Error(""), "it threw an object without a message"],
    [{ message: 5 }, "it threw an object without a message"],
    [{}, "it threw an object without a message"],
    [[], "it threw an object without a message"],
    ["", "it threw a string without a message"],
    [null, "it threw null without a message"],
    [undefined, "it threw undefined without a message"],
    [Symbol("s"), "it threw a symbol without a message"],
    [5n, "it threw a bigint without a message"],
    [() => "message", "it threw a function without a message"],
  ])("reads what was thrown: %#", (thrown, message) => {
    expect(thrownMessage(thrown)).toBe(message);
  });

  it("outlives an object whose message throws", () => {
    const hostile = {
      get message(): string {
        throw new Error("never");
      },
    };

    expect(thrownMessage(hostile)).toBe("it threw an object without a message");
  });
});
