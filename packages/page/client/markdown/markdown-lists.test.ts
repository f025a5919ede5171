import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { Markdown } from "./markdown.tsx";

/** Returns the lists of a shown text, outer ones first: the kind, the start and the number of items of each. */
function listsOf(text: string): unknown[] {
  const { body } = showOnPage((props: { text: string }) => createElement(Markdown, props), { text });
  const lists = [...body.all("ol"), ...body.all("ul")];
  return lists.map(({ localName, attributes, childNodes }) => [localName, attributes["start"], childNodes.length]);
}

describe("a list in a text", () => {
  it.each([0, 1, 2, 7, 10, 999_999_999].flatMap((start) => [".", ")"].map((mark) => [start, mark] as const)))(
    "a list in a text that starts with %d%s is numbered from there",
    (start, mark) => {
      expect(listsOf(`${start}${mark} one\n${start}${mark} two`)).toEqual([["ol", String(start), 2]]);
    },
  );

  it("is numbered from its first number, whatever the others are and however many zeros it has", () => {
    expect(listsOf("0. one\n0. two\n7. three")).toEqual([["ol", "0", 3]]);
    expect(listsOf("00. one")).toEqual([["ol", "0", 1]]);
    expect(listsOf("007. one")).toEqual([["ol", "7", 1]]);
  });

  it.each(["-", "*", "+"])("a list in a text that has the mark %s has bullets", (mark) => {
    expect(listsOf(`${mark} 0\n${mark} 1`)).toEqual([["ul", undefined, 2]]);
  });

  it.each([0, 1, 3])("a list in a text that is within another is numbered from its own first number, %d", (start) => {
    expect(listsOf(`- outer\n\n  ${start}. inner`)).toEqual([
      ["ol", String(start), 1],
      ["ul", undefined, 1],
    ]);
    expect(listsOf(`5. outer\n\n   ${start}. inner`)).toEqual([
      ["ol", "5", 1],
      ["ol", String(start), 1],
    ]);
  });
});
