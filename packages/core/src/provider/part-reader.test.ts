import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ContentPart } from "../base/message/content.ts";
import type { ChatMessage, MessageRole } from "../base/message/message.ts";
import { PartReader } from "./part-reader.ts";

const text: ContentPart = { type: "text", text: "See:" };
const pdf: ContentPart = { type: "file", data: "JVBERi0x", mimeType: "application/pdf", filename: "report.pdf" };
const said = (role: MessageRole, ...content: ContentPart[]): ChatMessage => ({ role, content });
const question: ChatMessage = { role: "user", content: "And now?" };

/** Takes text alone. */
function readText(part: ContentPart): string {
  if (part.type === "text") return part.text;
  throw new TroupeError("unsupported_media_type", "This model takes text alone.");
}

function readerOf(...messages: ChatMessage[]) {
  const notes: string[] = [];
  return { notes, parts: new PartReader(messages, (what, reason) => notes.push(`${what}: ${reason}`)) };
}

describe("a part that a model does not support", () => {
  it("becomes words in a message before the user's last one", () => {
    const [asked, found] = [said("user", text, pdf), said("tool", pdf)];
    const { parts, notes } = readerOf(asked, { role: "assistant", content: "Seen." }, found, question);

    const words = "[file report.pdf, application/pdf: not shown to this model]";
    expect(parts.read(asked, readText)).toEqual(["See:", words]);
    expect(parts.read(found, readText)).toEqual([words]);
    expect(notes).toEqual(Array(2).fill("a part of type file: it was said earlier, and the model does not take it"));
  });

  it.each<[ContentPart, string]>([
    [{ type: "image", data: "https://example.com/?key=secret" }, "[image: not shown to this model]"],
    [{ type: "audio", data: "SUQz", mimeType: "audio/mpeg" }, "[audio, audio/mpeg: not shown to this model]"],
    [{ type: "file", data: "UEsDBA", mimeType: "a/b", filename: "" }, "[file, a/b: not shown to this model]"],
  ])("is described by its type, name and MIME type, without its data: %j", (part, words) => {
    const asked = said("user", part);

    expect(readerOf(asked, question).parts.read(asked, readText)).toEqual([words]);
  });

  it.each<[string, (message: ChatMessage) => ChatMessage[], MessageRole]>([
    ["the user's last message", (message) => [question, message], "user"],
    [
      "the user's last message, though the model has called tools since",
      (message) => [message, { role: "assistant", content: null }, { role: "tool", content: "" }],
      "user",
    ],
    ["instructions", (message) => [message, question], "system"],
    ["a conversation without a user", (message) => [message], "assistant"],
  ])("is refused in %s", (_place, around, role) => {
    const message = said(role, text, pdf);
    const { parts, notes } = readerOf(...around(message));

    expect(() => parts.read(message, readText)).toThrow("This model takes text alone.");
    expect(notes).toEqual([]);
  });

  it("becomes words in a tool's result, also in one of this run [tool.result-parts-refused]", () => {
    const message = said("tool", text, pdf);
    const { parts, notes } = readerOf(question, message);

    expect(parts.read(message, readText)).toEqual([
      "See:",
      "[file report.pdf, application/pdf: not shown to this model]",
    ]);
    expect(notes).toEqual(["a part of type file: the model does not take it in a tool's result"]);
  });

  it("does not hide a mistake of the reader", () => {
    const asked = said("user", pdf);
    const fail = () => {
      throw new TypeError("No such thing.");
    };

    expect(() => readerOf(asked, question).parts.read(asked, fail)).toThrow(TypeError);
  });
});

describe("a part that a model supports", () => {
  it("is read as it is, wherever it stands", () => {
    const [asked, again] = [said("user", text, pdf), said("user", pdf)];
    const { parts, notes } = readerOf(asked, again);

    expect(parts.read(asked, (part) => part)).toEqual([text, pdf]);
    expect(parts.read(again, (part) => part)).toEqual([pdf]);
    expect(parts.read(question, (part) => part)).toEqual([{ type: "text", text: "And now?" }]);
    expect(parts.read({ role: "assistant", content: null }, (part) => part)).toEqual([]);
    expect(notes).toEqual([]);
  });
});

it("PartReader gives an answer as text, with words for all that is none", () => {
  const answer = said("assistant", text, { type: "image", data: "iVBORw0KGgo", mimeType: "image/png" });
  const { parts, notes } = readerOf(question, answer);

  expect(parts.readText(answer)).toBe("See:\n[image, image/png: not shown to this model]");
  expect(parts.readText({ role: "assistant", content: null })).toBe("");
  expect(notes).toHaveLength(1);
});

describe("a part with a URL that leads to a private address", () => {
  const image: ContentPart = { type: "image", data: "http://10.0.0.1/a.png" };
  const readAny = (part: ContentPart) => part.type;

  it("is refused by the name of its field", () => {
    const [asked, rules] = [said("user", text, image), said("system", image)];
    const { parts } = readerOf(rules, asked);

    const refusal = (message: ChatMessage) => () => parts.read(message, readAny);
    expect(refusal(asked)).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message:
          "input[1].data leads to an address that is not public. Send the data itself, or set allowPrivateUrls of the model.",
        fields: { reason: "private_address", part: "image" },
      }),
    );
    expect(refusal(asked)).toThrow(/^input\[1\]\.data leads to an address that is not public/);
    expect(refusal(rules)).toThrow(/^messages\[0\]\.content\[0\]\.data leads to/);
  });

  it("becomes words where the user cannot change it, and the reason is reported", () => {
    const asked = said("user", image);
    const { parts, notes } = readerOf(asked, question);

    expect(parts.read(asked, readAny)).toEqual(["text"]);
    expect(notes).toEqual([
      "a part of type image: its URL leads to an address that is not public, and allowPrivateUrls is not set",
    ]);
  });

  it("is read where the check allows it, and so is a public one or one in base64 without it", () => {
    const asked = said("user", image);
    const allowed = new PartReader([asked], () => {}, { isPrivateUrl: () => false });
    const open = said("user", { ...image, data: "https://example.com/a.png" }, { ...image, data: "http" });

    expect(allowed.read(asked, readAny)).toEqual(["image"]);
    expect(readerOf(open).parts.read(open, readAny)).toEqual(["image", "image"]);
  });
});
