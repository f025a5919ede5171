import { describe, expect, it } from "vitest";
import { checkContent } from "./check-content.ts";

const refused = (message: string) => expect.objectContaining({ code: "invalid_request", message }) as Error;

describe("checkContent", () => {
  it.each([
    "Hello?",
    [
      { type: "text", text: "" },
      { type: "image", data: "aGk=" },
    ],
    [{ type: "image", data: "aGk=" }],
    [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }],
    [{ type: "file", data: "aGk=", mimeType: "text/plain", filename: "a.txt" }],
  ])("takes %j as it is", (content) => {
    expect(checkContent(content)).toBe(content);
  });

  it.each<[value: unknown, message: string]>([
    ["", "input must not be empty."],
    [" \n", "input must not be empty."],
    [undefined, "input must be a string or an array of content parts."],
    [{ type: "text", text: "a" }, "input must be a string or an array of content parts."],
    [[{ type: "text", text: " " }], "input must not be empty."],
    [[], "input must have at least one part."],
    [[null], "input[0] must be a content part."],
    [["a"], "input[0] must be a content part."],
    [[{ type: "text", text: "a" }, { type: "video" }], "input[1].type must be one of text, image, audio, file."],
    [[{ type: "constructor" }], "input[0].type must be one of text, image, audio, file."],
    [[{ type: "text" }], "input[0].text must be a string."],
    [[{ type: "image", data: 1 }], "input[0].data must be a string."],
    [[{ type: "file", data: "aGk=" }], "input[0].mimeType must be a string."],
    [[{ type: "text", text: null }], "input[0].text must be a string."],
    [[{ type: "audio", mimeType: "audio/wav" }], "input[0].data must be a string."],
    [[{ type: "image", mimeType: "image/png" }], "input[0].data must be a string."],
    [[{ type: "file", mimeType: "text/plain" }], "input[0].data must be a string."],
    [[{ type: "image", data: "aGk=", mimeType: null }], "input[0].mimeType must be a string."],
    [[{ type: "audio", data: "aGk=", mimeType: 1 }], "input[0].mimeType must be a string."],
    [[{ type: "file", data: "aGk=", mimeType: "a/b", filename: 1 }], "input[0].filename must be a string."],
    [
      [{ type: "image", data: "aGk=", filename: "a" }],
      'Unknown field "filename" of input[0]. Expected type, data or mimeType.',
    ],
    [
      [
        { type: "text", text: "a" },
        { type: "text", text: "b", ["x".repeat(65)]: 1 },
      ],
      `Unknown field "${"x".repeat(64)}" of input[1]. Expected type or text.`,
    ],
    [[{ type: "text", text: "a", constructor: 1 }], 'Unknown field "constructor" of input[0]. Expected type or text.'],
    [[{ type: 1 }], "input[0].type must be one of text, image, audio, file."],
    [[{ type: "text", text: "a", role: "system" }], 'Unknown field "role" of input[0]. Expected type or text.'],
  ])("rejects %j and names the place and what it expected", (value, message) => {
    expect(() => checkContent(value)).toThrowError(refused(message));
  });

  it("names the field in the error", () => {
    expect(() => checkContent(1, "payload.input")).toThrowError(/^payload\.input must/);
  });
});
