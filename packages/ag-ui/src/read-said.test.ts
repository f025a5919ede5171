import { describe, expect, it } from "vitest";
import { readRequest } from "./read-request.ts";

const body = { threadId: "th", runId: "r" };
const read = (...messages: unknown[]) => readRequest({ ...body, messages });
const contentOf = (...parts: object[]) => read({ id: "u", role: "user", content: parts }).said?.content;

const source = { type: "data", value: "aQ==", mimeType: "image/png" };
const parts: [title: string, part: object, optional: string[]][] = [
  ["text", { type: "text", text: "Où?" }, ["source", "id", "data", "url", "mimeType", "filename", "metadata"]],
  ["an image", { type: "image", source }, ["text", "id", "data", "url", "mimeType", "filename", "metadata"]],
  ["a video", { type: "video", source }, ["text", "id", "metadata"]],
  ["data", { type: "binary", mimeType: "image/png", data: "aQ==" }, ["text", "source", "id", "url", "filename"]],
  ["an address", { type: "binary", mimeType: "a/b", url: "https://e.org" }, ["text", "source", "data", "filename"]],
  ["data of no type", { type: "binary", data: "aQ==" }, ["mimeType", "source"]],
  ["a file of another service", { type: "binary", id: "file-1" }, ["data", "url", "mimeType", "source", "text"]],
  ["a part of another kind", { type: "other" }, ["source", "text", "mimeType"]],
];
const fields = parts.flatMap(([title, part, optional]) => optional.map((name) => [name, title, part] as const));

describe("a part of a message", () => {
  it.each(fields)("is the same with %s: null and without it: %s", (name, _, part) => {
    expect(contentOf({ ...part, [name]: null }, { type: "text", text: "." })).toEqual(
      contentOf(part, { type: "text", text: "." }),
    );
  });

  it.each(parts)("is the same with null for all that it has not, and without it: %s", (_, part, optional) => {
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));

    expect(contentOf({ ...nulls, ...part })).toEqual(contentOf(part));
  });

  it.each(["image", "audio", "video", "document"])("is refused without the source that it needs: %s", (type) => {
    const problem = "messages[0].content[0].source must be an object.";

    for (const part of [{ type }, { type, source: null }, { type, source: [] }, { type, source: "aQ==" }])
      expect(() => contentOf(part)).toThrow(problem);
  });

  it.each([7, "x", [], true])("is refused with a source of %j, whatever its kind", (wrong) => {
    for (const type of ["text", "binary", "other", "image"])
      expect(() => contentOf({ type, text: "a", data: "aQ==", source: wrong })).toThrow(
        "messages[0].content[0].source must be an object.",
      );
  });
});

describe("a message", () => {
  it.each([
    ["of the user", { role: "user", content: "Hi." }, ["id", "name", "encryptedValue"]],
    ["of the agent", { role: "assistant" }, ["id", "name", "content", "toolCalls"]],
    ["of a tool", { role: "tool", toolCallId: "t", content: "60 N" }, ["id", "error", "encryptedValue"]],
    ["of a tool without content", { role: "tool", toolCallId: "t" }, ["id", "error", "content"]],
  ])("is read the same with null for each field that it may leave out: %s", (_, message, optional) => {
    for (const name of optional) {
      const { said, toolResults } = read({ ...message, [name]: null });
      expect({ said, toolResults }, name).toEqual({
        said: read(message).said,
        toolResults: read(message).toolResults,
      });
    }
  });
});
