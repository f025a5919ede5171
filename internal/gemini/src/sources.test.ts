import { describe, expect, it } from "vitest";
import { isHosted, sourcesIn } from "./sources.ts";

const some = expect.stringMatching(/./) as unknown;

it.each<[object, boolean]>([
  [{ executableCode: {} }, true],
  [{ codeExecutionResult: {} }, true],
  [{ toolCall: {} }, true],
  [{ toolResponse: {} }, true],
  [{ functionCall: {} }, false],
  [{ text: "A" }, false],
  [{}, false],
])("tells if %j is of the vendor's own tools: %j", (part, expected) => {
  expect(isHosted(part)).toBe(expected);
});

describe("sourcesIn", () => {
  it("finds the pages of a search, then those that the model read", () => {
    const groundingChunks = [
      { web: { uri: "https://a.example", title: "A" } },
      { retrievedContext: { uri: "https://b.example" } },
      { maps: { uri: "https://c.example", title: "C" } },
      { web: { title: "no address" } },
      {},
      null,
    ];
    const urlMetadata = [{ retrievedUrl: "https://d.example" }, { retrievedUrl: 7 }];

    expect(sourcesIn({ groundingMetadata: { groundingChunks }, urlContextMetadata: { urlMetadata } })).toEqual([
      { id: some, url: "https://a.example", title: "A" },
      { id: some, url: "https://b.example" },
      { id: some, url: "https://c.example", title: "C" },
      { id: some, url: "https://d.example" },
    ]);
  });

  it.each([{}, { groundingMetadata: null, urlContextMetadata: null }, { groundingMetadata: { groundingChunks: {} } }])(
    "finds none in %j",
    (answer) => {
      expect(sourcesIn(answer)).toEqual([]);
    },
  );
});
