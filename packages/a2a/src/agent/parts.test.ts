import { describe, expect, it } from "vitest";
import type { A2APart } from "../wire/task.ts";
import { isObject, readParts, textOf, toParts, toText } from "./parts.ts";
import type { A2AContent } from "./parts.ts";

const text = (value: string): A2APart => ({ kind: "text", text: value });
const data = (value: unknown): A2APart => ({ kind: "data", data: value });
const facts = { mediaType: "text/plain", filename: "a.txt", metadata: { a: 1 } };
const bytes: A2APart = { kind: "bytes", base64: "+/8=", ...facts };
const url: A2APart = { kind: "url", url: "https://example.org/a", ...facts };

describe("parts of what an agent says", () => {
  it.each<[A2AContent, A2APart[]]>([
    ["Hi", [text("Hi")]],
    ["", [text("")]],
    [
      [text("Hi"), bytes, url, data(null)],
      [text("Hi"), bytes, url, data(null)],
    ],
    [[{ kind: "bytes", base64: "-_8", ...facts }], [bytes]],
  ])("are made of %j", (content, parts) => {
    expect(toParts(content, "message")).toEqual(parts);
  });

  it("are made beside what is given, which stays as it is", () => {
    const given: A2APart[] = [{ kind: "bytes", base64: "-_8" }];
    expect(toParts(given, "message")).toEqual([{ kind: "bytes", base64: "+/8=" }]);
    expect(given).toEqual([{ kind: "bytes", base64: "-_8" }]);
  });

  const form = 'must be a string, or an array of at least one part such as { kind: "text", text: "Hello" }.';
  const unread = "has a part that no client could read: its";
  it.each([
    [[], form],
    [undefined, form],
    [7, form],
    [{ kind: "text", text: "Hi" }, form],
    [[text("Hi"), "Hi"], form],
    [[{ kind: "bytes", base64: "*" }], `${unread} base64 of bytes must be base64.`],
    [[{ kind: "bytes", base64: "https://example.org/a" }], `${unread} base64 of bytes must be base64.`],
    [[text("Hi"), { kind: "url", url: "AQID" }], `${unread} url must be an http(s) URL.`],
    [[{ kind: "url", url: "ftp://example.org/a" }], `${unread} url must be an http(s) URL.`],
  ])("are refused, with the name of the argument: %j", (content, problem) => {
    expect(() => toParts(content as A2AContent, "reason")).toThrow(
      expect.objectContaining({ code: "invalid_value", message: `reason ${problem}` }),
    );
  });
});

describe("parts in a value", () => {
  it.each([[text("Hi")], [bytes], [url], [data(null)], [data(0)], [{ ...text(""), ...facts, more: 1 }]])(
    "are read: %j",
    (part) => {
      const given = [part, part];
      expect(readParts(given)).toEqual(given);
    },
  );

  it.each([
    [undefined],
    [null],
    ["Hi"],
    [{}],
    [[]],
    [[null]],
    [[[text("Hi")]]],
    [[text("Hi"), undefined]],
    [Array(1)],
    [[{ kind: "text" }]],
    [[{ kind: "text", text: 1 }]],
    [[{ text: "Hi" }]],
    [[{ kind: "bytes", bytes: "AQID" }]],
    [[{ kind: "bytes", url: "AQID" }]],
    [[{ kind: "url", url: null }]],
    [[{ kind: "data" }]],
    [[{ kind: "data", data: undefined }]],
    [[{ kind: "constructor", constructor: "a" }]],
    [[{ kind: ["text"], text: "Hi" }]],
    [[{ ...text("Hi"), mediaType: 1 }]],
    [[{ ...text("Hi"), filename: null }]],
    [[{ ...text("Hi"), metadata: [] }]],
    [[{ ...data(1), metadata: "a" }]],
  ])("are none in %j", (value) => {
    expect(readParts(value)).toBeUndefined();
  });
});

describe("the text of parts", () => {
  it.each<[A2APart[], string, string]>([
    [[], "", ""],
    [[text("a"), data(1), text("b"), bytes], "a\nb", "a\nb"],
    [[data({ a: [1] }), bytes, data(null), url], "", '{"a":[1]}\nnull'],
    [[text(""), data(1)], "", "1"],
    [[bytes], "", ""],
  ])("of %j is %j, or with data %j", (parts, ofTexts, whole) => {
    expect([textOf(parts), toText(parts)]).toEqual([ofTexts, whole]);
  });
});

it.each([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ["", false],
  [() => 1, false],
])("isObject of %o is %s", (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
