import { describe, expect, it } from "vitest";
import { FieldReader } from "./field-reader.ts";
import { readOptionalPush, readPushConfig, readPushId } from "./push-config.ts";

const url = "https://client.example/hook";
const read = (fields: object) => readPushConfig(new FieldReader({ url, ...fields }, "config"));
const wrong = (field: string, expected: RegExp) =>
  expect.objectContaining({
    kind: "invalid-params",
    message: expect.stringMatching(expected) as string,
    fields: { field },
  }) as Error;

describe("a push config", () => {
  it("is read with all of its fields, and without those that are absent", () => {
    const authentication = { scheme: "Bearer", credentials: "secret" };

    expect(read({ id: "c", token: "t", authentication, other: 1 })).toEqual({
      url,
      id: "c",
      token: "t",
      scheme: "Bearer",
      credentials: "secret",
    });
    expect(read({})).toEqual({ url });
    expect(read({ id: "", token: "", authentication: null })).toEqual({ url });
    expect(read({ authentication: { scheme: "Basic" } })).toEqual({ url, scheme: "Basic" });
  });

  it("has the first scheme of 0.x, or that of 1.0", () => {
    expect(read({ authentication: { schemes: ["Bearer", "Basic"] } }).scheme).toBe("Bearer");
    expect(read({ authentication: { schemes: ["Bearer"], scheme: "Basic" } }).scheme).toBe("Bearer");
    for (const schemes of [[], null])
      expect(read({ authentication: { schemes, scheme: "Basic" } }).scheme).toBe("Basic");
    for (const authentication of [{}, { schemes: [] }, { credentials: "secret" }])
      expect(() => read({ authentication })).toThrow(wrong("config.authentication.scheme", /string that is not blank/));
  });

  it.each(["Bearer", "x-my.Scheme_1", "!#$%&'*+.^`|~-", "a".repeat(64)])("takes the scheme %s", (scheme) => {
    expect(read({ authentication: { scheme } }).scheme).toBe(scheme);
  });

  it.each(["Bea rer", "Bearer:", "Bearer\r\nX: y", "Béarer", "a".repeat(65), "(a)"])(
    "refuses the scheme %j",
    (scheme) => {
      const expected = /must be the name of an HTTP scheme/;

      expect(() => read({ authentication: { scheme } })).toThrow(wrong("config.authentication.scheme", expected));
      expect(() => read({ authentication: { schemes: [scheme] } })).toThrow(
        wrong("config.authentication.schemes", expected),
      );
    },
  );

  it.each(["a", "a b", "!~", "a".repeat(4096)])("takes the value of a header %j", (value) => {
    const authentication = { scheme: "Bearer", credentials: value };

    expect(read({ token: value, authentication })).toMatchObject({ token: value, credentials: value });
  });

  it.each([" a", "a ", " ", "a\r\nX: y", "a\n", "a\tb", "ä", "a\u0000", "a".repeat(4097)])(
    "refuses %j as the value of a header, and does not show it",
    (value) => {
      const expected =
        /^config\.(?:token|authentication\.credentials) must be at most 4096 visible ASCII characters\.$/;

      expect(() => read({ token: value })).toThrow(wrong("config.token", expected));
      expect(() => read({ authentication: { scheme: "Bearer", credentials: value } })).toThrow(
        wrong("config.authentication.credentials", expected),
      );
    },
  );

  it("has an address of at most 2048 characters, and an id of at most 128", () => {
    const long = url.padEnd(2048, "x");
    expect(read({ url: long, id: "i".repeat(128) })).toEqual({ url: long, id: "i".repeat(128) });

    expect(() => read({ url: `${long}x` })).toThrow(wrong("config.url", /an address of at most 2048/));
    expect(() => read({ id: "i".repeat(129) })).toThrow(wrong("config.id", /a string of at most 128/));
    for (const none of ["", " ", null, 7]) expect(() => read({ url: none })).toThrow(wrong("config.url", /not blank/));
  });

  it("may be absent", () => {
    const fields = new FieldReader({ a: { url }, b: null, c: "x", id: "" }, "params");

    expect(["a", "b", "d"].map((name) => readOptionalPush(fields, name))).toEqual([{ url }, undefined, undefined]);
    expect(() => readOptionalPush(fields, "c")).toThrow(wrong("params.c", /an object/));
    expect(readPushId(fields, "id")).toBeUndefined();
  });
});
