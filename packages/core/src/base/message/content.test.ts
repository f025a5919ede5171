import { describe, expect, it } from "vitest";
import { getTextContent, isBlankContent, isMultiModal } from "./content.ts";
import type { ContentPart, MessageContent } from "./content.ts";

const mixed: MessageContent = [
  { type: "text", text: "one" },
  { type: "image", data: "aGk=" },
  { type: "text", text: "two" },
];

describe("getTextContent", () => {
  it("returns a string unchanged", () => {
    expect(getTextContent("hello")).toBe("hello");
  });

  it("joins the text parts of an array by newlines and skips the others [content.get-text] [content.text]", () => {
    const others: ContentPart[] = [
      { type: "audio", data: "AAAA" },
      { type: "file", data: "AAAA", mimeType: "text/plain", filename: "a.txt" },
    ];

    expect(getTextContent(mixed)).toBe("one\ntwo");
    expect(getTextContent([{ type: "text", text: " one " }, ...others, { type: "text", text: "two" }])).toBe(
      " one \ntwo",
    );
  });

  it("returns an empty string for no content and for an empty array", () => {
    expect(getTextContent(null)).toBe("");
    expect(getTextContent([])).toBe("");
  });
});

describe("isBlankContent", () => {
  const blank: ContentPart = { type: "text", text: " \n" };
  const others = {
    image: { type: "image", data: "AAAA" },
    audio: { type: "audio", data: "AAAA" },
    file: { type: "file", data: "AAAA", mimeType: "text/plain" },
  } satisfies { [Type in Exclude<ContentPart["type"], "text">]: ContentPart & { type: Type } };

  it.each([null, "", " \n", [], [blank], [blank, { type: "text", text: "" }]] satisfies (MessageContent | null)[])(
    "is true for %j, which says nothing",
    (content) => {
      expect(isBlankContent(content)).toBe(true);
    },
  );

  it.each(["a", " 0 ", [blank, { type: "text", text: "a" }]] satisfies MessageContent[])(
    "is false for %j",
    (content) => {
      expect(isBlankContent(content)).toBe(false);
    },
  );

  it.each(Object.values(others))("is false for a part of type $type, alone and beside blank text", (part) => {
    expect([isBlankContent([part]), isBlankContent([blank, part])]).toEqual([false, false]);
  });
});

describe("isMultiModal", () => {
  it("is true for an array of parts, also an empty one [content.is-multi-modal]", () => {
    expect(isMultiModal(mixed)).toBe(true);
    expect(isMultiModal([])).toBe(true);
  });

  it("is false for a string and for no content", () => {
    expect(isMultiModal("text")).toBe(false);
    expect(isMultiModal(null)).toBe(false);
  });
});
