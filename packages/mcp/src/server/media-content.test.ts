import type { RunOutput } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { readMedia } from "./media-content.ts";

const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const resource = (fields: object) => ({ type: "resource", resource: fields });
const noted = (count: number) => ({
  type: "text",
  text: `[${count} of the images and files of the tools were left out: they are too large for this result]`,
});
/** Images of four bytes each. */
const images = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...image, data: Buffer.from([n, 0, 0]).toString("base64") }));

const outputOf = (results: unknown[], artifacts?: unknown[]) =>
  ({ toolCalls: results.map((result) => ({ result })), ...(artifacts && { artifacts }) }) as unknown as RunOutput;
const ofParts = (parts: unknown[], maxBytes = 1000) => readMedia(outputOf([parts]), maxBytes);
const ofArtifact = (artifact: unknown) => readMedia(outputOf([], [artifact]), 1000);

describe("the blocks of what tools returned", () => {
  it.each<[string, object, object[]]>([
    ["an image", { ...image, filename: "x.png" }, [image]],
    ["audio", { ...image, type: "audio", mimeType: "audio/mp3" }, [{ ...image, type: "audio", mimeType: "audio/mp3" }]],
    ["a data: URL", { type: "image", data: "data:image/gif;base64,aGk=" }, [{ ...image, mimeType: "image/gif" }]],
    ["base64 that is untidy", { ...image, data: "aG k" }, [image]],
    [
      "a file",
      { type: "file", data: "aGk=", mimeType: "x/y", filename: "a b/ü.pdf" },
      [resource({ uri: "attachment:a%20b%2F%C3%BC.pdf", blob: "aGk=", mimeType: "x/y" })],
    ],
    ["text", { type: "text", text: "aGk=" }, []],
    ["an image without a media type", { type: "image", data: "aGk=" }, []],
    ["an address", { ...image, data: "https://a.example/x.png" }, []],
    ["no base64", { ...image, data: "!" }, []],
  ])("are made of %s", (_, part, blocks) => {
    expect(ofParts([part])).toStrictEqual(blocks);
  });

  it("name a file without a name by its place in all parts", () => {
    const parts = [
      { type: "text", text: "Hi." },
      { type: "file", data: "aGk=", mimeType: "x/y" },
    ];
    expect(readMedia(outputOf([[image], parts.slice(0, 1), parts.slice(1)]), 1000)[1]).toBeUndefined();
    expect(
      ofParts([
        { type: "text", text: "Hi." },
        { type: "file", data: "aGk9", mimeType: "x/y" },
      ]),
    ).toStrictEqual([resource({ uri: "attachment:file-2", blob: "aGk9", mimeType: "x/y" })]);
  });

  it("are none of a call that failed, of a text, and of an object", () => {
    const output = {
      toolCalls: [{ result: [image], error: "It failed." }, { result: "aGk=" }, { result: image }, { result: null }],
    } as unknown as RunOutput;
    expect(readMedia(output, 1000)).toEqual([]);
  });

  it.each<[string, unknown, object[]]>([
    ["an image by its media type", { type: "chart", data: "aGk=", mimeType: "image/png" }, [image]],
    [
      "audio by its media type",
      { type: "x", data: "aGk=", mimeType: "audio/mp3" },
      [{ ...image, type: "audio", mimeType: "audio/mp3" }],
    ],
    [
      "an image by its type, of a URL with a media type",
      { type: "image", data: "data:image/png;base64,aGk=" },
      [image],
    ],
    ["an image of another media type", { type: "image", data: "aGk=", mimeType: "text/plain" }, []],
    ["a file", { type: "x", data: "aGk=", mimeType: "application/pdf" }, []],
    ["a type that begins alike", { type: "x", data: "aGk=", mimeType: "imaginary/png" }, []],
    ["no known type", { type: "x", data: "aGk=" }, []],
    [
      "a text resource",
      { type: "resource", data: { uri: "a://b", text: "Hi.", blob: "aGk=" }, mimeType: "x/y" },
      [resource({ uri: "a://b", text: "Hi.", mimeType: "x/y" })],
    ],
    [
      "a resource of data, tidied",
      { type: "resource", data: { uri: "a://b", blob: "aG k" } },
      [resource({ uri: "a://b", blob: "aGk=" })],
    ],
    ["a resource without a URI", { type: "resource", data: { blob: "aGk=" } }, []],
    ["a resource without content", { type: "resource", data: { uri: "a://b", text: 7, blob: 7 } }, []],
    ["a resource at an address", { type: "resource", data: { uri: "a://b", blob: "https://a.example" } }, []],
    ["a resource that is null", { type: "resource", data: null }, []],
    ["a resource that is a text", { type: "resource", data: "aGk=" }, []],
    ["another object", { type: "x", data: { uri: "a://b", text: "Hi." } }, []],
  ])("are made of an artifact that is %s", (_, artifact, blocks) => {
    expect(ofArtifact(artifact)).toStrictEqual(blocks);
  });

  it("are those of parts first, in order, and each once", () => {
    const [one, two, three] = images(3);
    const artifacts = [
      { ...three, type: "x" },
      { ...one, type: "x" },
    ];
    expect(readMedia(outputOf([[two, two], [one]], artifacts), 1000)).toStrictEqual([two, one, three]);
  });
});

describe("the bounds of the blocks", () => {
  it("are bytes of all data together: a smaller one may follow one that is left out", () => {
    const large = { ...image, data: "aGkhaGkh" };
    const [one, two] = images(2);
    expect(ofParts([one, two], 8)).toStrictEqual([one, two]);
    expect(ofParts([one, two], 7)).toStrictEqual([one, noted(1)]);
    expect(ofParts([one, large, large, two], 8)).toStrictEqual([one, two, noted(1)]);
    expect(ofParts([large, two], 4)).toStrictEqual([two, noted(1)]);
  });

  it("count the bytes of a text resource", () => {
    const artifact = { type: "resource", data: { uri: "a://b", text: "é" } };
    expect(readMedia(outputOf([], [artifact]), 2)).toHaveLength(1);
    expect(readMedia(outputOf([], [artifact]), 1)).toStrictEqual([noted(1)]);
  });

  it("are 50 blocks", () => {
    expect(ofParts(images(50))).toStrictEqual(images(50));
    expect(ofParts(images(53))).toStrictEqual([...images(50), noted(3)]);
  });

  it("are not told where nothing is wanted", () => {
    expect(ofParts(images(2), 0)).toEqual([]);
  });
});
