import { describe, expect, it } from "vitest";
import { citedSources, listedSources } from "./sources.ts";

const some = expect.stringMatching(/./) as unknown;
const [a, b] = ["https://a.example", "https://b.example"];

describe("citedSources", () => {
  it.each<[string, object, unknown[]]>([
    ["a page", { annotations: [{ url_citation: { url: a, title: "A" } }] }, [{ id: some, url: a, title: "A" }]],
    ["a file", { annotations: [{ file_citation: { file_id: "f", filename: "F" } }] }, [{ id: "f", title: "F" }]],
    ["a flat annotation", { annotations: [{ type: "url_citation", url: a }] }, [{ id: some, url: a }]],
    [
      "a title beside a name",
      { annotations: [{ file_id: "f", title: "T", filename: "F" }] },
      [{ id: "f", title: "T" }],
    ],
    [
      "annotations, then citations",
      { citations: [b], annotations: [{ url: a }] },
      [
        { id: some, url: a },
        { id: some, url: b },
      ],
    ],
    ["citations with titles", { citations: [{ url: b, title: "B" }, null, 7] }, [{ id: some, url: b, title: "B" }]],
    ["no lists", { annotations: "x", citations: a }, []],
    ["an annotation of nothing", { annotations: [{ url_citation: null }, {}] }, []],
  ])("reads %s", (_, message, expected) => {
    expect(citedSources(message)).toEqual(expected);
  });
});

describe("listedSources", () => {
  it("names each page once, by its title where it has one", () => {
    const results = [
      { url: a, title: "A" },
      { url: a, title: "Again" },
    ];

    expect(listedSources({ citations: [a, b, { url: b, title: "Late" }], search_results: results })).toEqual([
      { id: some, url: a, title: "A" },
      { id: some, url: b },
    ]);
  });

  it.each([{}, { citations: null, search_results: null }, { citations: a, search_results: { url: a } }])(
    "finds none in %j",
    (completion) => {
      expect(listedSources(completion)).toEqual([]);
    },
  );
});
