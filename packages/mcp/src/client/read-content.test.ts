import { createMasker } from "@troupe/core/kit";
import { describe, expect, it } from "vitest";
import { fieldsOf, readBlocks, readResourceParts } from "./read-content.ts";

const mask = createMasker(["secret"]);
const text = (value: string) => ({ type: "text", text: value });
const notBase64 = (kind: string) => text(`[${kind} of the server that is no base64 was left out]`);
const unknown = text("[content of an unknown type was left out]");
const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const resource = (fields: unknown) => ({ type: "resource", resource: fields });

/** Data that is no base64, or a URL that a vendor would fetch. */
const noBase64 = [
  "",
  "no base64!",
  "https://a.example/x.png",
  "data:image/png;base64,aGk=",
  "DATA:image/png;base64,aGk=",
];

describe("the blocks of a result", () => {
  it.each<[string, unknown, unknown]>([
    ["text, without secrets", { ...text("A secret."), annotations: {} }, text("A [redacted].")],
    ["an empty text", text(""), text("")],
    ["an image", { ...image, more: 1 }, image],
    ["audio", { type: "audio", data: "aGk=", mimeType: "x/y" }, { type: "audio", data: "aGk=", mimeType: "x/y" }],
    [
      "an image by its type, not its media type",
      { ...image, mimeType: "audio/mp3" },
      { ...image, mimeType: "audio/mp3" },
    ],
    ["a text resource, without secrets", resource({ uri: "a://b", text: "secret" }), text("[redacted]")],
    ["a text resource that has data as well", resource({ text: "Hi.", blob: "aGk=" }), text("Hi.")],
    ["text that is none", { type: "text", text: 7 }, unknown],
    ["an image without data", { type: "image", mimeType: "image/png" }, unknown],
    ["an image without a media type", { type: "image", data: "aGk=" }, unknown],
    ["a block of another type", { type: "video", data: "aGk=", mimeType: "video/mp4" }, unknown],
    ["a block without a type", { text: "Hi." }, unknown],
    ["null", null, unknown],
    ["a string", "text", unknown],
    ["a resource without content", resource({ uri: "a://b" }), notBase64("resource")],
    ["a resource that is null", resource(null), notBase64("resource")],
    ...noBase64.flatMap((data): [string, unknown, unknown][] => [
      [`an image of the data "${data}"`, { ...image, data }, notBase64("image")],
      [`audio of the data "${data}"`, { ...image, type: "audio", data }, notBase64("audio")],
      [`a resource of the data "${data}"`, resource({ uri: "a://b", blob: data }), notBase64("resource")],
    ]),
  ])("give the model a part for %s, and the host no artifact", async (_, block, part) => {
    expect(await readBlocks([block], mask)).toStrictEqual({ parts: [part], artifacts: [] });
  });

  it.each<[string, object, unknown, object]>([
    [
      "an image",
      { uri: "a://secret", blob: "aGk=", mimeType: "image/png" },
      { ...image, data: "aGk=" },
      { mimeType: "image/png" },
    ],
    [
      "audio",
      { uri: "a://secret", blob: "aGk=", mimeType: "audio/mp3" },
      { type: "audio", data: "aGk=", mimeType: "audio/mp3" },
      { mimeType: "audio/mp3" },
    ],
    [
      "a file, by its name",
      { uri: "a://secret", blob: "aGk=", mimeType: "imaginary/png" },
      text("[redacted] (a://[redacted], imaginary/png)"),
      { mimeType: "imaginary/png" },
    ],
    [
      "a file without a media type",
      { uri: "a://secret", blob: "aGk=", mimeType: 7 },
      text("[redacted] (a://[redacted], application/octet-stream)"),
      {},
    ],
  ])("show the model a resource that is %s, and give the host its data", async (...[, fields, part, more]) => {
    expect(await readBlocks([resource(fields)], mask)).toStrictEqual({
      parts: [part],
      artifacts: [{ type: "resource", data: { uri: "a://secret", blob: "aGk=" }, ...more }],
    });
  });

  it("take a resource without a URI for one with an empty one", async () => {
    expect(await readBlocks([resource({ uri: 7, blob: "aGk=" })], mask)).toStrictEqual({
      parts: [text(" (, application/octet-stream)")],
      artifacts: [{ type: "resource", data: { uri: "", blob: "aGk=" } }],
    });
  });

  it.each<[object, string, object]>([
    [{ uri: "a://b", name: "b" }, "b (a://b)", { data: { uri: "a://b", name: "b" } }],
    [{}, " ()", { data: { uri: "", name: "" } }],
    [
      { uri: "a://secret", name: "b", title: "The B", description: "A secret.", mimeType: "x/y", size: 0, more: 1 },
      "The B (a://[redacted]): A [redacted].",
      {
        data: { uri: "a://[redacted]", name: "b", title: "The B", description: "A secret.", size: 0 },
        mimeType: "x/y",
      },
    ],
    [{ uri: 1, name: 2, title: 3, description: 4, mimeType: 5, size: "6" }, " ()", { data: { uri: "", name: "" } }],
  ])("name a link of %j, and give it to the host", async (link, shown, artifact) => {
    expect(await readBlocks([{ type: "resource_link", ...link }], mask)).toStrictEqual({
      parts: [text(shown)],
      artifacts: [{ type: "resource_link", ...artifact }],
    });
  });

  it("keep their order, and let other work go first after 2,000", async () => {
    const blocks = Array.from({ length: 2000 }, (_, n) => text(String(n)));
    const other = { isDone: false };
    setImmediate(() => (other.isDone = true));
    await readBlocks(blocks.slice(1), mask);
    expect(other.isDone).toBe(false);
    expect((await readBlocks(blocks, mask)).parts).toStrictEqual(blocks);
    expect(other.isDone).toBe(true);
  });
});

describe("the contents of a resource", () => {
  it.each<[string, unknown, unknown[]]>([
    ["text", { uri: "a://b", text: "Hi.", mimeType: "text/plain", blob: "aGk=" }, [text("Hi.")]],
    ["an empty text", { text: "" }, [text("")]],
    ["nothing", {}, []],
    ["null", null, []],
    ["data that is no string", { blob: 7 }, []],
    ["an image", { blob: "aGk=", mimeType: "image/gif" }, [{ type: "image", data: "aGk=", mimeType: "image/gif" }]],
    ["audio", { blob: "aGk=", mimeType: "audio/mp3" }, [{ type: "audio", data: "aGk=", mimeType: "audio/mp3" }]],
  ])("are parts: of %s", (_, content, parts) => {
    expect(readResourceParts([content])).toStrictEqual(parts);
  });

  it.each<[unknown, string]>([
    ["a://host/dir/one.pdf", "one.pdf"],
    ["a://host/dir/", "dir"],
    ["a://host/one.pdf?two=/three#four", "one.pdf"],
    ["a://host/one.pdf#two/three", "one.pdf"],
    ["plain", "plain"],
    ["/", "/"],
    ["", ""],
    [7, ""],
  ])("of %j are a file named %j", (uri, filename) => {
    expect(readResourceParts([{ uri, blob: "aGk=" }])).toStrictEqual([
      { type: "file", data: "aGk=", mimeType: "application/octet-stream", filename },
    ]);
  });

  it("keep their order", () => {
    expect(readResourceParts([{ text: "one" }, {}, { blob: "aGk=", mimeType: "image/png" }, { text: "two" }])).toEqual([
      text("one"),
      { ...image, data: "aGk=" },
      text("two"),
    ]);
  });

  it.each(noBase64)("the contents of a resource of the data %j are refused, without a word of them", (blob) => {
    const refused = { code: "unavailable", message: "The MCP server sent a resource that is no base64." };
    expect(() => readResourceParts([{ text: "one" }, { uri: "a://b", blob }])).toThrow(
      expect.objectContaining(refused),
    );
  });
});

describe("the fields of a value", () => {
  it.each([undefined, null, 7, "text", true])("are none for %j", (value) => {
    expect(fieldsOf(value)).toStrictEqual({});
  });

  it("are those of an object", () => {
    const value = { a: 1 };
    expect(fieldsOf(value)).toBe(value);
  });
});
