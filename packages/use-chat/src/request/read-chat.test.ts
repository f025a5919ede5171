import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { isOwnData, readChat } from "./read-chat.ts";

const text = (said: unknown = "Hi."): object => ({ type: "text", text: said });
const user = (...parts: unknown[]): object => ({ role: "user", parts });
const answer = (id: string, ...parts: unknown[]): object => ({ id, role: "assistant", parts });
const png = { type: "file", mediaType: "image/png", url: "https://example.org/a.png" };
const hi = user(text());

/** The result for a body with only a chat id and one message. */
const plain = {
  chatId: "c1",
  isRegenerated: false,
  isEdited: false,
  messageId: undefined,
  before: undefined,
  last: { id: undefined, ...hi },
  userId: undefined,
  apiKey: undefined,
  said: expect.any(String) as string,
};

/** Returns the message of the error by which a body is refused. */
function refusal(body: Parameters<typeof readChat>[0]): string {
  try {
    readChat(body);
  } catch (error) {
    if (TroupeError.is(error) && error.code === "invalid_request") return error.message;
    throw error;
  }
  return "It is taken.";
}

describe("readChat", () => {
  const one = { id: "u1", ...hi };
  const two = { id: "u2", ...user(text("Two?")) };
  const said = answer("r1", { type: "step-start" }, text("One."), { type: "tool-x", output: 1 });

  it.each<[what: string, body: Record<string, unknown>, read: object]>([
    ["a message alone", { message: hi }, {}],
    ["its user and key", { message: hi, userId: "ada", apiKey: "sk" }, { userId: "ada", apiKey: "sk" }],
    ["its trigger", { message: hi, trigger: "submit-message" }, {}],
    ["one of all messages", { messages: [one] }, { before: [], last: one }],
    ["the last of all messages", { messages: [one, said, two] }, { before: [one, said], last: two }],
    ["an answer that goes on", { messages: [one, said] }, { before: [one], last: said }],
    [
      "an answer that goes on and is named",
      { messages: [one, said], messageId: "r1" },
      { before: [one], last: said, messageId: "r1" },
    ],
    [
      "an edited message",
      { messages: [one, said, two], messageId: "u2" },
      { before: [one, said], last: two, messageId: "u2", isEdited: true },
    ],
    ["an edited message alone", { message: one, messageId: "" }, { last: one, messageId: "", isEdited: true }],
    [
      "a question whose answer is regenerated",
      { messages: [one, said, two], trigger: "regenerate-message" },
      { before: [one, said], last: two, isRegenerated: true },
    ],
    [
      "a question before the answer that is regenerated",
      { messages: [one, said], trigger: "regenerate-message", messageId: "r1" },
      { before: [], last: one, messageId: "r1", isRegenerated: true },
    ],
    [
      "a question alone whose answer is regenerated",
      { message: one, trigger: "regenerate-message" },
      { last: one, isRegenerated: true },
    ],
  ])("reads %s", (_, body, read) => {
    expect(readChat({ id: "c1", ...body })).toEqual({ ...plain, ...read });
  });

  it("leaves the messages of the body as they are", () => {
    const messages = [one, said, two];

    readChat({ id: "c1", messages, trigger: "regenerate-message" });

    expect(messages).toEqual([one, said, two]);
  });

  it.each<[message: string, body: Record<string, unknown> | undefined]>([
    ['The body must be a request of useChat, such as {"id": "c1", "messages": […]}.', undefined],
    ['trigger must be "submit-message" or "regenerate-message".', { trigger: "resume-stream" }],
    ['trigger must be "submit-message" or "regenerate-message".', { trigger: null }],
    ["messageId must be a string.", { messageId: 1 }],
    ["messageId must be a string.", { messageId: null }],
    ["id must be the id of the chat, a string.", { id: undefined }],
    ["id must be the id of the chat, a string.", { id: 7 }],
    ["Only an answer to a message of the user can be regenerated.", { trigger: "regenerate-message" }],
    ["The body must have either messages, an array, or message, the last one alone.", { message: undefined }],
    ["The body must have either messages, an array, or message, the last one alone.", { messages: [hi] }],
    ["messages must be an array.", { message: undefined, messages: { 0: hi, length: 1 } }],
    ["messages must be an array.", { message: undefined, messages: null }],
    ["messages must have a message.", { message: undefined, messages: [] }],
    [
      "messages must have a message of the user.",
      { message: undefined, messages: [answer("r1")], trigger: "regenerate-message" },
    ],
  ])("refuses with: %s", (message, more) => {
    const body = more === undefined ? undefined : { id: "c1", message: answer("r1"), ...more };
    expect(refusal(body)).toBe(message);
  });

  it("refuses an unknown field, and an id that is none of a session", () => {
    expect(refusal({ id: "c1", message: hi, system: "x" })).toMatch(/^Unknown field "system"/);
    expect(refusal({ id: "", message: hi })).not.toBe("It is taken.");
    expect(refusal({ id: "a b", message: hi })).not.toBe("It is taken.");
  });

  it.each<[problem: string, message: unknown]>([
    ['message.role must be "user" or "assistant".', null],
    ['message.role must be "user" or "assistant".', "Hi."],
    ['message.role must be "user" or "assistant".', { role: "system", parts: [text()] }],
    ['message.role must be "user" or "assistant".', { parts: [text()] }],
    ["message.id must be a string.", { id: 1, ...hi }],
    ["message.id must be a string.", { id: null, ...hi }],
    ["message.parts must be an array of parts with a type.", { role: "user" }],
    ["message.parts must be an array of parts with a type.", { role: "user", parts: "Hi." }],
    ["message.parts must be an array of parts with a type.", user(text(), null)],
    ["message.parts must be an array of parts with a type.", user(text(), "Hi.")],
    ["message.parts must be an array of parts with a type.", user({ type: 1 })],
    ["message.parts[1].text must be a string.", user(text(), text(7))],
    ["message.parts[0].text must be a string.", { role: "assistant", parts: [{ type: "text" }] }],
    [
      'message.parts[1] of the user\'s message has the type "reasoning". Expected text, file or data-….',
      user(text(), { type: "reasoning", text: "Hm." }),
    ],
    [
      `message.parts[0] of the user's message has the type "${"x".repeat(64)}". Expected text, file or data-….`,
      user({ type: "x".repeat(65) }),
    ],
    ["message.parts[0].mediaType must be a string.", user({ ...png, mediaType: undefined })],
    ["message.parts[0].url must be a data: URL, or an address of http or https.", user({ ...png, url: undefined })],
    ["message.parts[0].url must be a data: URL, or an address of http or https.", user({ ...png, url: "/a.png" })],
    ["message.parts[0].url must be a data: URL, or an address of http or https.", user({ ...png, url: "file:///a" })],
    [
      "message.parts[0].url must be a data: URL, or an address of http or https.",
      user({ ...png, url: "blob:https://example.org/a" }),
    ],
    ["message.parts[0].filename must be a string.", user({ ...png, filename: null })],
    ["message.parts must have at most 100 parts, got 101.", user(...Array.from({ length: 101 }, () => text()))],
    ["message.parts must have a text that is not blank, or a file.", user()],
    ["message.parts must have a text that is not blank, or a file.", user(text(""), text(" \n\t"))],
    ["message.parts must have a text that is not blank, or a file.", user({ type: "data-mood", text: "Good." })],
  ])("refuses a message with: %s", (problem, message) => {
    expect(refusal({ id: "c1", message })).toBe(problem);
  });

  it("names the message of many that is wrong", () => {
    expect(refusal({ id: "c1", messages: [hi, answer("r1", text(1)), hi] })).toBe(
      "messages[1].parts[0].text must be a string.",
    );
  });

  it.each<[what: string, message: object]>([
    ["100 parts", user(...Array.from({ length: 100 }, () => text()))],
    ["a file alone", user(png)],
    ["a file with a name, at a URL in capitals", user({ ...png, url: "DATA:image/png;base64,", filename: "a.png" })],
    ["a file at an address of http", user({ ...png, url: "http://example.org/a" })],
    ["data and the beginning of a step beside a text", user({ type: "data-mood" }, { type: "step-start" }, text())],
    ["a blank text beside another one", user(text(" "), text("."))],
  ])("takes %s", (_, message) => {
    expect(readChat({ id: "c1", message })).toEqual({ ...plain, last: { id: undefined, ...message } });
  });

  it("takes any part of an answer, in any number, and one that says nothing", () => {
    const parts = Array.from({ length: 150 }, () => ({ type: "file", url: "blob:x" }));
    const messages = [answer("r1", ...parts), answer("r2"), hi];
    expect(readChat({ id: "c1", messages }).before).toEqual(messages.slice(0, 2));
  });
});

describe("isOwnData", () => {
  it.each([
    ["data-mood", true],
    ["data-", true],
    ["step-start", true],
    ["data", false],
    ["my-data-mood", false],
    ["step-start-2", false],
    ["text", false],
  ])("isOwnData of %s is %s", (type, isOwn) => {
    expect(isOwnData({ type })).toBe(isOwn);
  });

  it("hashes all that a request says, but not its key", () => {
    const { said } = readChat({ id: "c1", message: hi, apiKey: "one" });
    expect(readChat({ id: "c1", message: hi, apiKey: "two" }).said).toBe(said);
    expect(readChat({ id: "c2", message: hi }).said).not.toBe(said);
    expect(readChat({ id: "c1", message: hi, trigger: "regenerate-message" }).said).not.toBe(said);
  });
});
