import { describe, expect, it } from "vitest";
import { isChatMessage, isStoredContent, isStoredMessage } from "./is-chat-message.ts";

const call = { id: "c", name: "look", arguments: {} };
const said = (part: unknown) => ({ role: "user", content: [{ type: "text", text: "See:" }, part] });
const stored = { type: "image", stored: { seq: 1, index: 0, id: "w", bytes: 1, pieces: 1 } };

describe("isChatMessage and isStoredMessage", () => {
  it.each<[unknown]>([
    ...["system", "user", "assistant", "tool"].map((role): [unknown] => [{ role, content: "Hi" }]),
    [{ role: "user", content: "" }],
    [{ role: "user", content: [] }],
    [{ role: "assistant", content: null, toolCalls: [] }],
    [{ role: "assistant", content: null, toolCalls: [call, { ...call, id: "" }] }],
    [{ role: "tool", content: "4", toolCallId: "c", name: "look" }],
    [{ role: "user", content: "Hi", more: { of: "a newer release" } }],
    [said({ type: "text", text: "" })],
    [said({ type: "image", data: "aGk=" })],
    [said({ type: "image", data: "aGk=", mimeType: "image/png" })],
    [said({ type: "audio", data: "aGk=" })],
    [said({ type: "file", data: "aGk=", mimeType: "a/b" })],
    [said({ type: "file", data: "aGk=", mimeType: "a/b", filename: "c" })],
  ])("accept %j", (message) => {
    expect([isChatMessage(message), isStoredMessage(message)]).toEqual([true, true]);
  });

  it.each<[unknown]>([
    [null],
    ["Hi"],
    [[]],
    [{ content: "Hi" }],
    [{ role: "USER", content: "Hi" }],
    [{ role: "constructor", content: "Hi" }],
    [{ role: "user" }],
    [{ role: "user", content: 5 }],
    [{ role: "user", content: {} }],
    [{ role: "user", content: ["Hi"] }],
    [{ role: "user", content: "Hi", name: null }],
    [{ role: "tool", content: "4", toolCallId: 5 }],
    [{ role: "assistant", content: null, toolCalls: null }],
    [{ role: "assistant", content: null, toolCalls: {} }],
    [{ role: "assistant", content: null, toolCalls: [call, null] }],
    [{ role: "assistant", content: null, toolCalls: [{ ...call, id: 1 }] }],
    [{ role: "assistant", content: null, toolCalls: [{ ...call, name: undefined }] }],
    [{ role: "assistant", content: null, toolCalls: [{ ...call, arguments: "{}" }] }],
    [{ role: "assistant", content: null, toolCalls: [{ ...call, arguments: [] }] }],
    [said(null)],
    [said({ type: "text" })],
    [said({ type: "text", text: null })],
    [said({ type: "image" })],
    [said({ type: "image", data: "aGk=", mimeType: null })],
    [said({ type: "audio", data: 5 })],
    [said({ type: "file", data: "aGk=" })],
    [said({ type: "file", mimeType: "a/b" })],
    [said({ type: "file", data: "aGk=", mimeType: "a/b", filename: 5 })],
    [said({ type: "video", data: "aGk=" })],
    [said({ text: "without a type" })],
  ])("refuse %j", (message) => {
    expect([isChatMessage(message), isStoredMessage(message)]).toEqual([false, false]);
  });

  it("differ in parts with a reference in place of their data", () => {
    expect([isChatMessage(said(stored)), isStoredMessage(said(stored))]).toEqual([false, true]);
    expect(isStoredMessage(said({ ...stored, stored: {} }))).toBe(false);
    expect([isStoredContent([stored, { type: "text", text: "a" }]), isStoredContent([stored, 5])]).toEqual([
      true,
      false,
    ]);
    expect([isStoredContent("Hi"), isStoredContent([]), isStoredContent(null)]).toEqual([true, true, false]);
  });
});
