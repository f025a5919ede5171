import { describe, expect, it } from "vitest";
import { joinContents, readContent, readText } from "./content.ts";

const pdf = Buffer.from("%PDF-1.7 é").toString("base64");

describe("the content of a message", () => {
  it.each([
    ["", ""],
    [" é\n", " é\n"],
    [null, ""],
    [undefined, ""],
    [[], ""],
    [[{ type: "text", text: "one" }], "one"],
  ])("the content of a message of %j is %j", (given, read) => {
    expect(readContent(given, "c")).toBe(read);
  });

  it("the content of a message of texts alone, in the words of both APIs, is one text with a line for each", () => {
    const parts = [
      { type: "text", text: "Où?" },
      { type: "input_text", text: "" },
      { type: "output_text", text: "Là." },
      { type: "refusal", refusal: "No." },
    ];

    expect(readContent(parts, "c")).toBe("Où?\n\nLà.\nNo.");
    expect(readText(parts, "c")).toBe("Où?\n\nLà.\nNo.");
  });

  it("keeps the order of texts and other parts", () => {
    const image = { type: "image_url", image_url: { url: "https://e.x/a" } };

    expect(readContent([{ type: "text", text: "a" }, image, { type: "text", text: "b" }], "c")).toEqual([
      { type: "text", text: "a" },
      { type: "image", data: "https://e.x/a" },
      { type: "text", text: "b" },
    ]);
  });
});

describe.each(["data:", "DATA:", "Data:"])("a URL that begins with %s", (scheme) => {
  const image = { type: "image", data: `${scheme}Image/PNG;base64,aQ==`, mimeType: "image/png" };

  it.each<[string, object, object]>([
    ["Chat's image", { type: "image_url", image_url: { url: image.data } }, image],
    ["Chat's image without an object", { type: "image_url", image_url: image.data }, image],
    ["Responses' image", { type: "input_image", image_url: image.data }, image],
    [
      "Chat's file",
      { type: "file", file: { file_data: `${scheme}Text/Plain,a`, filename: "ä.txt" } },
      { type: "file", data: `${scheme}Text/Plain,a`, mimeType: "text/plain", filename: "ä.txt" },
    ],
    [
      "Responses' file",
      { type: "input_file", file_url: `${scheme}Text/Plain,a` },
      { type: "file", data: `${scheme}Text/Plain,a`, mimeType: "text/plain" },
    ],
    [
      "a file without a type",
      { type: "input_file", file_data: `${scheme},a` },
      { type: "file", data: `${scheme},a`, mimeType: "application/octet-stream" },
    ],
  ])("is the data of %s, whose type is in small letters", (_, part, read) => {
    expect(readContent([part], "c")).toEqual([read]);
  });
});

describe("a part", () => {
  it.each(["https://e.x/A?b", "HTTP://e.x/A"])("may be at the address %s, which keeps its spelling", (url) => {
    expect(readContent([{ type: "input_file", file_url: url }], "c")).toMatchObject([{ type: "file", data: url }]);
    expect(readContent([{ type: "input_image", image_url: url }], "c")).toEqual([{ type: "image", data: url }]);
  });

  it("may be a file in base64 alone, whose type is in its bytes", () => {
    expect(readContent([{ type: "file", file: { file_data: pdf } }], "c")).toEqual([
      { type: "file", data: pdf, mimeType: "application/pdf" },
    ]);
  });

  it.each([
    ["wav", "audio/wav"],
    ["mp3", "audio/mpeg"],
  ])("may be a sound of the format %s", (format, mimeType) => {
    const part = { type: "input_audio", input_audio: { data: "aQ==", format } };

    expect(readContent([part], "c")).toEqual([{ type: "audio", data: "aQ==", mimeType }]);
  });

  it.each<[unknown, string, string]>([
    [7, "c", "must be an array"],
    [["a"], "c[0]", "must be an object"],
    [[{ type: "text", text: "a" }, { type: "text" }], "c[1].text", "must be a string"],
    [[{}], "c[0].type", "must be a string"],
    [[{ type: "video" }], "c[0].type", 'got "video"'],
    [[{ type: "x".repeat(65) }], "c[0].type", `got "${"x".repeat(64)}"`],
    [[{ type: "image_url" }], "c[0].image_url", "must be an object"],
    [[{ type: "input_image", image_url: "ftp://e.x" }], "c[0].image_url", "must be a data: URL"],
    [[{ type: "input_image", file_id: "f" }], "c[0].file_id", "is not supported"],
    [[{ type: "input_file", file_id: "" }], "c[0].file_id", "is not supported"],
    [[{ type: "input_file" }], "c[0].file_url", "must be a string"],
    [[{ type: "file" }], "c[0].file", "must be an object"],
    [[{ type: "input_audio", input_audio: { data: "a", format: "WAV" } }], "c[0].input_audio.format", 'must be "wav"'],
    [[{ type: "input_audio", input_audio: { data: "a", format: "toString" } }], "c[0].input_audio.format", "must be"],
    [[{ type: "input_audio", input_audio: { format: "wav" } }], "c[0].input_audio.data", "must be a string"],
  ])("that is wrong is refused by its place: %j", (given, param, problem) => {
    const refusal = { code: "invalid_request", fields: { param } };
    const told = {
      ...refusal,
      message: expect.stringContaining(`${param} ${problem.startsWith("got") ? "" : problem}`),
    };

    expect(() => readContent(given, "c")).toThrow(expect.objectContaining(told));
    expect(() => readContent(given, "c")).toThrow(problem);
  });

  it.each([null, undefined])("may have a file's id of %s", (id) => {
    const part = { type: "input_image", image_url: "https://e.x/a", file_id: id };

    expect(readContent([part], "c")).toHaveLength(1);
  });
});

it("text alone is refused where another part is in it", () => {
  expect(() => readText([{ type: "input_image", image_url: "https://e.x/a" }], "instructions")).toThrow(
    "instructions must be text alone.",
  );
});

it("contents that follow one another are joined, as one text where all are", () => {
  const image = { type: "image", data: "https://e.x/a" } as const;

  expect(joinContents(["a", "", "b"])).toBe("a\n\n\n\nb");
  expect(joinContents(["a", [image], "b"])).toEqual([{ type: "text", text: "a" }, image, { type: "text", text: "b" }]);
});
