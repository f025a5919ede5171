import { afterEach, describe, expect, it, vi } from "vitest";
import { readCredential } from "./index.ts";

const [first, second] = ["TROUPE_TEST_FIRST", "TROUPE_TEST_SECOND"];
const sources = { service: "Post", option: "apiKey", given: undefined, environment: [first, second] };

afterEach(() => void vi.unstubAllEnvs());

describe("readCredential", () => {
  it.each<[string, string | (() => string | Promise<string>) | undefined, string, string, string]>([
    ["the option", "given", "one", "two", "given"],
    ["a function", () => "made", "one", "two", "made"],
    ["a slow function", async () => await Promise.resolve("made"), "one", "two", "made"],
    ["the first variable", undefined, "one", "two", "one"],
    ["the next where the first is empty", undefined, "", "two", "two"],
  ])("takes %s", async (...[, given, one, two, expected]) => {
    vi.stubEnv(first, one);
    vi.stubEnv(second, two);

    expect(await readCredential({ ...sources, given })).toBe(expected);
  });

  it("calls a function anew each time", async () => {
    let count = 0;
    const given = () => `token-${++count}`;

    expect([await readCredential({ ...sources, given }), await readCredential({ ...sources, given })]).toEqual([
      "token-1",
      "token-2",
    ]);
  });

  it.each<[readonly string[], string]>([
    [[], "pass apiKey"],
    [[first], `pass apiKey or set ${first}`],
    [[first, second], `pass apiKey, set ${first} or set ${second}`],
  ])("says how to give one: %j", async (environment, ways) => {
    await expect(readCredential({ ...sources, environment })).rejects.toMatchObject({
      code: "unauthorized",
      message: `Post needs a credential, and there is none. It has to be configured: ${ways}.`,
      fields: { service: "Post", problem: "credential_missing" },
    });
  });

  it.each(["", "a b", "ä", "a\n", "a".repeat(16_385)])(
    "refuses one that fits no header, and keeps it secret",
    async (value) => {
      const refused = readCredential({ ...sources, given: () => value });

      await expect(refused).rejects.toMatchObject({
        code: "invalid_config",
        message: "The credential in apiKey of Post must be 1 to 16384 visible ASCII characters without spaces.",
      });
      vi.stubEnv(first, "a b");
      await expect(readCredential(sources)).rejects.toThrow(
        `The credential in the environment variable ${first} must be`,
      );
    },
  );

  it("takes the longest", async () => {
    expect(await readCredential({ ...sources, given: "a".repeat(16_384) })).toHaveLength(16_384);
  });

  it("does not tell what a function threw", async () => {
    const given = () => Promise.reject(new Error("secret token"));
    const error: unknown = await readCredential({ ...sources, given }).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: "unauthorized",
      message: "Post cannot be asked, because the function apiKey failed. Mend the function.",
    });
    expect(error).not.toHaveProperty("cause");
  });

  it("ends with its signal, whatever the source", async () => {
    const abort = new AbortController();
    const waiting = readCredential({ ...sources, given: () => new Promise(() => undefined), signal: abort.signal });
    const reason = new Error("stopped");
    abort.abort(reason);

    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    await expect(readCredential({ ...sources, signal: abort.signal })).rejects.toBe(reason);
  });
});
