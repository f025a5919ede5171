// Messages, content parts and their helpers.
import assert from "node:assert/strict";
import { Agent, getTextContent, isMultiModal } from "@troupe/core";
import type { ChatMessage, ContentPart, MessageContent, MessageRole, ToolCall } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const roles: MessageRole[] = ["system", "user", "assistant", "tool"];
const parts: ContentPart[] = [
  { type: "text", text: "What is this? " },
  { type: "image", data: "iVBORw0KGgo=" },
  { type: "image", data: "https://example.com/a.png", mimeType: "image/png" },
  { type: "audio", data: "SUQz", mimeType: "audio/mp3" },
  { type: "audio", data: "SUQz" },
  { type: "file", data: "JVBERi0=", mimeType: "application/pdf", filename: "a.pdf" },
  { type: "file", data: "aGk=", mimeType: "text/plain" },
  { type: "text", text: "Tell me." },
];
const call: ToolCall = { id: "1", name: "weather", arguments: { city: "Oslo" } };
const conversation: ChatMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: parts, name: "ann" },
  { role: "assistant", content: null, toolCalls: [call] },
  { role: "tool", content: "Rain.", toolCallId: "1" },
  { role: "assistant", content: "An umbrella." },
];
assert.deepEqual([...new Set(conversation.map(({ role }) => role))].toSorted(), roles.toSorted());

const content: MessageContent = parts;
assert.equal(isMultiModal(content), true);
assert.equal(isMultiModal("text"), false);
assert.equal(isMultiModal(null), false);
assert.equal(getTextContent("text"), "text");
assert.equal(getTextContent(null), "");
assert.match(getTextContent(content), /What is this\?[\s\S]*Tell me\./);

const model = new ScriptedModel("A dot.");
const output = await new Agent({ name: "helper", model }).run(parts);
assert.equal(output.text, "A dot.");
assert.deepEqual(model.calls[0]?.messages.at(-1)?.content, parts);
