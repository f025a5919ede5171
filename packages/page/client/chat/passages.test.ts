import { describe, expect, it } from "vitest";
import { readPassages } from "./passages.ts";

const hint = "Cite these passages by their numbers. Numbers of earlier answers are no longer valid.";

describe("the passages in the result of a search", () => {
  it("have their places, and the text up to the next heading", () => {
    expect(readPassages(`${hint}\n\n[2] "A" (page 4, Über "uns")\nOne.\n\nTwo.\n\n[13] "B"\n`)).toEqual([
      { number: "2", title: "A", place: 'page 4, Über "uns"', text: "One.\n\nTwo." },
      { number: "13", title: "B", text: "" },
    ]);
  });

  it("do not begin in the middle of a paragraph", () => {
    expect(readPassages('[1] "A"\nSee\n[2] "B"\nthere.')).toEqual([
      { number: "1", title: "A", text: 'See\n[2] "B"\nthere.' },
    ]);
  });

  it.each([
    ["no text", { text: '[1] "A"\nx' }],
    ["nothing found", "No documents were found."],
    ["an empty text", ""],
    ["another list", "[1] A\nx"],
    ["a title that is no string", '[1] "\\x"\nx'],
    ["a number that is too long", '[1234567] "A"\nx'],
    ["a text before it", 'One.\nTwo.\n\n[1] "A"\nx'],
    ["JSON", '["a"]'],
  ])("are none in %s", (_, result) => {
    expect(readPassages(result)).toBeUndefined();
  });
});
