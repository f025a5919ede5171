import { describe, expectTypeOf, it } from "vitest";
import type { ContentPart, MessageContent } from "./content.ts";
import type { ChatMessage, MessageRole } from "./message.ts";
import type { ToolCall } from "./tool-call.ts";

describe("ChatMessage", () => {
  it("has one of four roles", () => {
    expectTypeOf<MessageRole>().toEqualTypeOf<"system" | "user" | "assistant" | "tool">();
    expectTypeOf<ChatMessage["role"]>().toEqualTypeOf<MessageRole>();
  });

  it("holds a string, parts or null", () => {
    expectTypeOf<ChatMessage["content"]>().toEqualTypeOf<string | ContentPart[] | null>();
    expectTypeOf<MessageContent>().toEqualTypeOf<string | ContentPart[]>();
  });

  it("may carry tool calls, the id of the call that it answers, and a name", () => {
    expectTypeOf<ChatMessage>().pick("toolCalls").toEqualTypeOf<{ toolCalls?: ToolCall[] }>();
    expectTypeOf<ChatMessage>().pick("toolCallId").toEqualTypeOf<{ toolCallId?: string }>();
    expectTypeOf<ChatMessage>().pick("name").toEqualTypeOf<{ name?: string }>();
  });
});

describe("ContentPart", () => {
  it("has data and an optional mime type for an image and an audio part", () => {
    type OfType<Type> = Extract<ContentPart, { type: Type }>;

    expectTypeOf<OfType<"image">>().toEqualTypeOf<{ type: "image"; data: string; mimeType?: string }>();
    expectTypeOf<OfType<"audio">>().toEqualTypeOf<{ type: "audio"; data: string; mimeType?: string }>();
  });

  it("has data, a mime type and an optional name for a file", () => {
    type File = Extract<ContentPart, { type: "file" }>;

    expectTypeOf<File>().toEqualTypeOf<{ type: "file"; data: string; mimeType: string; filename?: string }>();
  });
});
