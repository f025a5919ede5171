import { schemaRef } from "../open-api-spec.ts";
import type { OpenApiSchema } from "../open-api-spec.ts";
import { nullableRunFields, sessionIdPattern } from "./run-schemas.ts";
import { anyObjectSchema, arraySchema, enumSchema, stringSchema } from "./schema-builders.ts";

/** Returns the OpenAPI schemas of the requests of `useChat` and of the chunks of their answers. */
export function uiSchemas(): Record<string, OpenApiSchema> {
  const message = schemaRef("UiMessage");
  const { userId, apiKey } = nullableRunFields;
  return {
    ChatRequest: {
      type: "object",
      description: "A request of `useChat`: with all messages, or with the last one alone.",
      properties: {
        id: {
          type: "string",
          pattern: sessionIdPattern,
          description: "The id of the chat, which is that of its session.",
        },
        messages: { ...arraySchema(message), minItems: 1 },
        message,
        trigger: enumSchema("submit-message", "regenerate-message"),
        messageId: { ...stringSchema, description: "The message to go on with, to regenerate or to replace." },
        userId,
        apiKey,
      },
      required: ["id"],
      oneOf: [{ required: ["messages"] }, { required: ["message"] }],
      additionalProperties: false,
    },
    UiMessage: {
      ...anyObjectSchema,
      properties: {
        id: stringSchema,
        role: enumSchema("user", "assistant"),
        parts: arraySchema({ ...anyObjectSchema, properties: { type: stringSchema }, required: ["type"] }),
      },
      required: ["role", "parts"],
    },
    ChatStop: {
      ...anyObjectSchema,
      properties: {
        activeStreamId: { ...stringSchema, description: "The id of the message to stop. Another one goes on." },
      },
    },
    UiMessageChunk: {
      ...anyObjectSchema,
      description: "A chunk of the AI SDK's UI message stream.",
      properties: { type: stringSchema },
      required: ["type"],
    },
  };
}
