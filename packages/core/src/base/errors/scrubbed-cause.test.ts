import { describe, expect, it } from "vitest";
import { createMasker } from "../util/create-masker.ts";
import { scrubbedCause } from "./scrubbed-cause.ts";

const secret = "sk-1234567890";
const mask = createMasker([secret]);
const scrub = (error: unknown, withText = true) => scrubbedCause(error, { mask, withText });

describe("scrubbedCause", () => {
  it("keeps names, codes, statuses and messages of an error and its causes, without the secret in any", () => {
    const inner = Object.assign(new TypeError(`inner ${secret}`), { code: `E_${secret}`, status: 401 });
    inner.name = `Name ${secret}`;
    const outer = Object.assign(new Error(`outer ${secret} end`, { cause: inner }), { code: 7, status: "bad" });
    const copy = scrub(outer);
    const cause = copy?.cause as Error & { code: unknown; status: unknown };

    expect(copy).toMatchObject({ name: "Error", code: 7, status: "bad" });
    expect(copy?.message).toMatch(/^outer .* end$/);
    expect(cause.message).toMatch(/^inner /);
    expect(cause.name).toMatch(/^Name /);
    expect(cause).toMatchObject({ code: expect.stringMatching(/^E_/) as string, status: 401 });
    expect(cause.cause).toBeUndefined();
    for (const each of [copy, cause]) {
      const shown = [each?.message, each?.name, each?.stack, (each as typeof cause).code];
      expect(JSON.stringify(shown)).not.toContain(secret);
    }
  });

  it("keeps the frames of the stack, and not the message in it", () => {
    const error = new Error(`lines\n    at ${secret} (file.ts:1:1)`);
    const copy = scrub(error, false);

    expect(copy?.stack).toMatch(/^Error: \(text left out\)\n {4}at /);
    expect(copy?.stack).not.toContain(secret);
  });

  it("masks a secret in the frames of the stack", () => {
    const error = new Error("no");
    error.stack = `Error: no\n    at call (/srv/${secret}/main.js:1:1)`;

    const copy = scrub(error);

    expect(copy?.stack).toMatch(/at call \(.*main\.js:1:1\)$/);
    expect(copy?.stack).not.toContain(secret);
  });

  it("keeps no message without the text, in any of the causes", () => {
    const copy = scrub(new Error("outer", { cause: new Error("inner") }), false);
    const cause = copy?.cause as Error | undefined;

    expect([copy?.message, cause?.message]).toEqual(["(text left out)", "(text left out)"]);
    expect(`${copy?.stack}${cause?.stack}`).not.toMatch(/outer|inner/);
  });

  it("keeps the first 200 characters of a message", () => {
    expect(scrub(new Error("m".repeat(200)))?.message).toBe("m".repeat(200));
    expect(scrub(new Error("m".repeat(201)))?.message.length).toBeLessThanOrEqual(201);
    expect(scrub(new Error(`${"m".repeat(195)}${secret}`))?.message).not.toContain("sk-1");
  });

  it("leaves out everything else, such as requests and headers", () => {
    const error = Object.assign(new Error("no"), { headers: { authorization: secret }, request: { body: "private" } });
    const copy = scrub(error);

    expect(Object.getOwnPropertyNames(copy).toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
      "message",
      "name",
      "stack",
    ]);
    expect(Object.keys(copy ?? {})).toEqual([]);
  });

  it.each<[unknown, string]>([
    ["a text", "a text"],
    [5, "(a thrown number)"],
    [{}, "(a thrown object)"],
    [{ message: 5 }, "(a thrown object)"],
    [() => 1, "(a thrown function)"],
  ])("makes an error of what is none: %#", (thrown, message) => {
    expect(scrub(thrown)).toBeInstanceOf(Error);
    expect(scrub(thrown)?.message).toBe(message);
  });

  it("returns undefined where nothing was thrown", () => {
    expect(scrub(undefined)).toBeUndefined();
  });
});
