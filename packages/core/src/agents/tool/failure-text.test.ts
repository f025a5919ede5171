import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { failureText, cutFailureText } from "./failure-text.ts";
import { contextOf } from "./test/batch.ts";

const cyclic = new Error("cyclic");
cyclic.cause = cyclic;
const throwing = {
  get message(): string {
    throw new Error("no");
  },
};

describe("failureText", () => {
  it.each<[what: string, thrown: unknown, text: string]>([
    ["an error", new Error("no such city"), "It failed: no such city"],
    ["a TroupeError", new TroupeError("conflict", "The city is busy."), "It failed: The city is busy."],
    ["a text", "no such city", "It failed: no such city"],
    ["undefined", undefined, "It failed: it threw undefined without a message"],
    ["null", null, "It failed: it threw null without a message"],
    ["a number", 0, "It failed: 0"],
    ["a boolean", false, "It failed: false"],
    ["a symbol", Symbol("a"), "It failed: it threw a symbol without a message"],
    ["a function", () => "a", "It failed: it threw a function without a message"],
    ["an empty text", "", "It failed: it threw a string without a message"],
    ["an object", { reason: "a" }, "It failed: it threw an object without a message"],
    ["an error that is its own cause", cyclic, "It failed: cyclic"],
    ["an error whose message throws", throwing, "It failed: it threw an object without a message"],
    ["an error whose message is no text", { message: { a: 1 } }, "It failed: it threw an object without a message"],
    ["half a character", "a\uD800", "It failed: a\uFFFD"],
  ])("makes a sentence without a stack of %s", (_, thrown, text) => {
    expect(failureText("It failed", thrown, contextOf())).toBe(text);
  });

  it("hides every key of the run", () => {
    const context = contextOf({ apiKeys: { openai: "sk-first-key", google: "g/second+key" } });
    const thrown = new Error("401 for sk-first-key at ?key=g%2Fsecond%2Bkey");

    expect(failureText("It failed", thrown, context)).toBe("It failed: 401 for [redacted] at ?key=[redacted]");
  });

  it("has at most 2 KB, and no part of a key at its end", () => {
    const context = contextOf({ apiKeys: { openai: "sk-first-key" } });
    for (const filler of ["a", "ä", "€", "😀"]) {
      for (const length of [500, 680, 1010, 2020, 2030, 100_000]) {
        const text = failureText("It failed", new Error(`${filler.repeat(length)}sk-first-key`), context);

        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
        expect(text).not.toContain("sk-");
        expect(text.isWellFormed()).toBe(true);
      }
    }
    expect(cutFailureText("a".repeat(3000)).endsWith("a…")).toBe(true);
  });
});
