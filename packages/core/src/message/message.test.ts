import { describe, expectTypeOf, it } from "vitest";
import type { ContentPart, MessageContent } from "./content.ts";
import type { ChatMessage, MessageRole } from "./message.ts";
import type { ToolCall } from "./tool-call.ts";

describe("ChatMessage", () => {
  it("is spoken by one of four roles [message.roles]", () => {
    expectTypeOf<MessageRole>().toEqualTypeOf<"system" | "user" | "assistant" | "tool">();
    expectTypeOf<ChatMessage["role"]>().toEqualTypeOf<MessageRole>();
  });

  it("holds text, parts or nothing [message.content]", () => {
    expectTypeOf<ChatMessage["content"]>().toEqualTypeOf<string | ContentPart[] | null>();
    expectTypeOf<MessageContent>().toEqualTypeOf<string | ContentPart[]>();
  });

  it("may carry calls, the call it answers, and a name [message.fields]", () => {
    expectTypeOf<ChatMessage>().pick("toolCalls").toEqualTypeOf<{ toolCalls?: ToolCall[] }>();
    expectTypeOf<ChatMessage>().pick("toolCallId").toEqualTypeOf<{ toolCallId?: string }>();
    expectTypeOf<ChatMessage>().pick("name").toEqualTypeOf<{ name?: string }>();
  });
});

describe("ContentPart", () => {
  it("has data and perhaps a mime type for an image and a sound [content.image] [content.audio]", () => {
    type OfType<Type> = Extract<ContentPart, { type: Type }>;

    expectTypeOf<OfType<"image">>().toEqualTypeOf<{ type: "image"; data: string; mimeType?: string }>();
    expectTypeOf<OfType<"audio">>().toEqualTypeOf<{ type: "audio"; data: string; mimeType?: string }>();
  });

  it("has data, a mime type and perhaps a name for a file [content.file]", () => {
    type File = Extract<ContentPart, { type: "file" }>;

    expectTypeOf<File>().toEqualTypeOf<{ type: "file"; data: string; mimeType: string; filename?: string }>();
  });
});
