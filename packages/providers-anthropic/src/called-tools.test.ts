import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import { toTools } from "./to-tools.ts";

const text = (role: "user" | "assistant"): MessageParam => ({ role, content: "Hi" });
const blocks: MessageParam = { role: "user", content: [{ type: "text", text: "Hi" }] };
const calls = (...names: readonly string[]): MessageParam => ({
  role: "assistant",
  content: [
    { type: "text", text: "Let me see." },
    ...names.map((name) => ({ type: "tool_use", id: name, name, input: {} }) as const),
  ],
});
const results: MessageParam = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] };

/** The names of the tools that a request without tools declares for its history. */
function declared(...messages: readonly MessageParam[]): string[] | undefined {
  const { tools } = toTools({ messages: [...messages], thinks: false, hasMore: false }, contextOf().context);
  return tools?.map((tool) => ("name" in tool ? tool.name : ""));
}

describe("the tools that a history has called", () => {
  it.each<[string, MessageParam[], string[] | undefined]>([
    ["behind a question that is a string", [text("user"), calls("a"), results], ["a"]],
    ["behind a question in blocks", [blocks, calls("a"), results], ["a"]],
    ["behind an answer that is a string", [text("user"), text("assistant"), text("user"), calls("a"), results], ["a"]],
    ["before a string", [calls("a"), results, text("assistant"), text("user")], ["a"]],
    ["on both sides of a string", [calls("a"), results, text("user"), calls("b", "a"), results], ["a", "b"]],
    ["several of one answer", [text("user"), calls("a", "b", "c"), results], ["a", "b", "c"]],
    ["nowhere", [text("user"), text("assistant")], undefined],
  ])("are declared: %s", (_where, messages, names) => {
    expect(declared(...messages)).toEqual(names);
  });
});
