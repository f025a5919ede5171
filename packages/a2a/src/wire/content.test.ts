import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { part } from "../../test/arbitraries.ts";
import { fromArtifact, fromContent, toContent } from "./content.ts";
import type { A2APart } from "./task.ts";

const png = "iVBORw0KGgoAAAANSUhEUg==";

describe("content of a run, of a client's parts [a2a.content-in]", () => {
  it("is a string for one text, and parts for more", () => {
    const a = { kind: "text" as const, text: "a" };
    const b = { kind: "text" as const, text: "b", metadata: { lang: "en" } };
    expect(toContent({ parts: [a] })).toBe("a");
    expect(toContent({ parts: [a, b] })).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]);
  });

  it.each([
    ["png", "image", "image/png"],
    ["jpg", "image", "image/jpeg"],
    ["jpeg", "image", "image/jpeg"],
    ["gif", "image", "image/gif"],
    ["webp", "image", "image/webp"],
    ["mp3", "audio", "audio/mpeg"],
    ["wav", "audio", "audio/wav"],
    ["pdf", "file", "application/pdf"],
    ["txt", "file", "application/octet-stream"],
  ])("has the type of a file that is known by its name alone: .%s", (extension, type, mimeType) => {
    const data = `https://example.org/é.${extension}`;
    expect(toContent({ parts: [{ kind: "url", url: data }] })).toEqual([{ type, data, mimeType }]);
  });

  it.each<[A2APart, unknown]>([
    [
      { kind: "bytes", base64: png, mediaType: "image/png" },
      { type: "image", data: png, mimeType: "image/png" },
    ],
    [
      { kind: "bytes", base64: png },
      { type: "image", data: png, mimeType: "image/png" },
    ],
    [
      { kind: "bytes", base64: "SUQzBA==" },
      { type: "audio", data: "SUQzBA==", mimeType: "audio/mpeg" },
    ],
    [
      { kind: "bytes", base64: "YQ==", filename: "a.csv", mediaType: "text/csv" },
      { type: "file", data: "YQ==", mimeType: "text/csv", filename: "a.csv" },
    ],
    [
      { kind: "bytes", base64: "YQ==" },
      { type: "file", data: "YQ==", mimeType: "application/octet-stream" },
    ],
    [
      { kind: "url", url: "https://example.org/a.PNG?v=1" },
      { type: "image", data: "https://example.org/a.PNG?v=1", mimeType: "image/png" },
    ],
    [
      { kind: "url", url: "https://example.org/a", filename: "a.pdf" },
      { type: "file", data: "https://example.org/a", mimeType: "application/pdf", filename: "a.pdf" },
    ],
    [
      { kind: "url", url: "https://example.org/a" },
      { type: "file", data: "https://example.org/a", mimeType: "application/octet-stream" },
    ],
    [
      { kind: "data", data: { a: [1] } },
      { type: "text", text: '{"a":[1]}' },
    ],
    [
      { kind: "data", data: null },
      { type: "text", text: "null" },
    ],
  ])("is for the part %j the part %j", (given, expected) => {
    expect(toContent({ parts: [given, { kind: "text", text: "x" }] })).toEqual([expected, { type: "text", text: "x" }]);
  });

  it("a message that says nothing is refused", () => {
    for (const parts of [[{ kind: "text" as const, text: " \n" }], [{ kind: "text" as const, text: "" }]]) {
      expect(() => toContent({ parts })).toThrow("params.message.parts must not be empty.");
    }
  });
});

describe("parts for a client, of content of ours [a2a.content-out]", () => {
  it("text, images and files keep what they hold, and come back the same", () => {
    const content = [
      { type: "text" as const, text: "a" },
      { type: "image" as const, data: `data:image/png;base64,${png}` },
      { type: "audio" as const, data: "https://example.org/a.mp3", mimeType: "audio/mpeg" },
      { type: "file" as const, data: "YQ==", mimeType: "text/csv", filename: "a.csv" },
    ];
    const parts = fromContent(content);
    expect(parts).toEqual([
      { kind: "text", text: "a" },
      { kind: "bytes", base64: png, mediaType: "image/png" },
      { kind: "url", url: "https://example.org/a.mp3", mediaType: "audio/mpeg" },
      { kind: "bytes", base64: "YQ==", mediaType: "text/csv", filename: "a.csv" },
    ]);
    expect(toContent({ parts })).toEqual([
      content[0],
      { type: "image", data: png, mimeType: "image/png" },
      content[2],
      content[3],
    ]);
    expect(fromContent("a")).toEqual([{ kind: "text", text: "a" }]);
    expect(fromContent([{ type: "image", data: "not base64!" }])).toEqual([]);
  });

  it("content that came as parts goes out as parts that come back as the same content", () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        fc.pre(parts.some((given) => given.kind !== "text" || given.text.trim() !== ""));
        const content = toContent({ parts });
        expect(toContent({ parts: fromContent(content) })).toEqual(content);
      }),
    );
  });

  it.each([
    [
      { type: "image", data: png, mimeType: "image/png" },
      { kind: "bytes", base64: png, mediaType: "image/png" },
    ],
    [
      { type: "file", data: "https://example.org/a", mimeType: "text/csv" },
      { kind: "text", text: "https://example.org/a", mediaType: "text/csv" },
    ],
    [
      { type: "table", data: [{ a: 1 }] },
      { kind: "data", data: [{ a: 1 }] },
    ],
    [
      { type: "note", data: "plain" },
      { kind: "data", data: "plain" },
    ],
    [
      { type: "odd", data: "not base64!", mimeType: "image/png" },
      { kind: "data", data: "not base64!", mediaType: "image/png" },
    ],
  ])("the artifact %j of a tool is the part %j", (artifact, expected) => {
    expect(fromArtifact(artifact)).toEqual(expected);
  });
});
