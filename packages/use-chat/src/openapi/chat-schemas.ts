import { anyObjectSchema, arraySchema, enumSchema, havingSchema, schemaRef, stringSchema } from "./builders.ts";
import type { OpenApiSchema } from "./builders.ts";

/** The pattern of a session id, which is also the pattern of a chat id. */
export const sessionIdPattern = "^([\\w:@-][\\w.:@-]{0,127}|\\.[\\w:@-][\\w.:@-]{0,126}|\\.\\.[\\w.:@-]{1,126})$";

const userId: OpenApiSchema = {
  type: "string",
  minLength: 1,
  description:
    "The user. For a client who is signed in, that user or nothing. Otherwise the user is unverified, unless the " +
    "service trusts its clients: sessions, memory and facts are apart from those of the user who signs in by that name.",
  nullable: true,
};

const apiKey: OpenApiSchema = {
  type: "string",
  pattern: "^[!-~]{1,16384}$",
  description: "A key for the vendor of the agent, if no header carries one.",
  nullable: true,
};

/** Returns the OpenAPI schemas of the requests of `useChat` and of the chunks of their answers. */
export function chatSchemas(): Record<string, OpenApiSchema> {
  const message = schemaRef("UiMessage");
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
      // The rules that involve several fields are written as `not`, which client generators ignore: they cannot make a
      // usable type of a `oneOf` without types.
      not: { anyOf: [bothForms, neitherForm, regeneratedWithoutQuestion()] },
      additionalProperties: false,
    },
    ...messageSchemas(),
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

const bothForms: OpenApiSchema = havingSchema("messages", "message");
const neitherForm: OpenApiSchema = { not: { anyOf: [havingSchema("messages"), havingSchema("message")] } };

/** Returns the schema of an invalid request: it regenerates an answer, but has only messages of the assistant. */
function regeneratedWithoutQuestion(): OpenApiSchema {
  const answer = { ...anyObjectSchema, properties: { role: enumSchema("assistant") } };
  const trigger = enumSchema("regenerate-message");
  return { properties: { trigger, message: answer, messages: arraySchema(answer) }, required: ["trigger"] };
}

function messageSchemas(): Record<string, OpenApiSchema> {
  const { text, file, data, other } = partSchemas;
  return {
    UiMessage: {
      oneOf: [schemaRef("UiUserMessage"), schemaRef("UiAssistantMessage")],
      discriminator: {
        propertyName: "role",
        mapping: { user: "#/components/schemas/UiUserMessage", assistant: "#/components/schemas/UiAssistantMessage" },
      },
      description: "A message of a chat.",
    },
    UiUserMessage: messageSchema("user", {
      ...arraySchema({ anyOf: [text, file, data] }),
      minItems: 1,
      maxItems: maxParts,
      not: arraySchema({ anyOf: [blankText, data] }),
      description: "A text that is not blank, files, or both. Data is the page's own: the agent does not get it.",
    }),
    UiAssistantMessage: messageSchema("assistant", arraySchema({ anyOf: [text, other] })),
  };
}

/** Largest number of parts in a user's message, the same as in an input. */
const maxParts = 100;

// The pattern is anchored, because some clients only match from the start.
const blankText = partSchema({ type: enumSchema("text"), text: { type: "string", pattern: "^\\s*$" } });

const partSchemas = {
  text: partSchema({ type: enumSchema("text"), text: stringSchema }),
  file: partSchema(
    {
      type: enumSchema("file"),
      mediaType: stringSchema,
      url: {
        type: "string",
        format: "data-or-web-url",
        pattern: "^([Dd][Aa][Tt][Aa]:[^,]*,.|[Hh][Tt][Tt][Pp][Ss]?:)",
        description: "A `data:` URL or an `http(s)` URL.",
      },
    },
    { filename: stringSchema },
  ),
  data: partSchema({ type: { type: "string", pattern: "^(data-|step-start$)" } }),
  other: partSchema({ type: { type: "string", not: enumSchema("text") } }),
};

function partSchema(fields: Record<string, OpenApiSchema>, optional = {}): OpenApiSchema {
  return { ...anyObjectSchema, properties: { ...fields, ...optional }, required: Object.keys(fields) };
}

function messageSchema(role: string, parts: OpenApiSchema): OpenApiSchema {
  const properties = { id: stringSchema, role: enumSchema(role), parts };
  return { ...anyObjectSchema, properties, required: ["role", "parts"] };
}
