const text = { type: "string" };
const anyObject = { type: "object", additionalProperties: true };

/** Returns the schema of an object with these fields. Any other fields are allowed. */
function objectOf(properties: object, ...required: string[]): object {
  return { ...anyObject, properties, ...(required.length > 0 && { required }) };
}

function listOf(items: object): object {
  return objectOf({ object: { type: "string", enum: ["list"] }, data: { type: "array", items } }, "object", "data");
}

const message = objectOf({ role: text, content: {} }, "role");

/**
 * Returns the schemas of the API's requests and answers, limited to the fields that the service reads and writes.
 * OpenAI documents the whole API. A schema cannot express that the tools of a request must have different names.
 */
export function apiSchemas(): Record<string, object> {
  const model = objectOf({ id: text, object: text, created: { type: "integer" }, owned_by: text }, "id", "object");
  const optional = { stream: { type: "boolean" } };
  return {
    OpenAiModel: model,
    OpenAiModelList: listOf(model),
    OpenAiChatRequest: objectOf(
      { model: text, messages: { type: "array", items: message, minItems: 1 }, ...optional },
      "model",
      "messages",
    ),
    OpenAiCompletion: objectOf(
      { id: text, object: text, choices: { type: "array", items: anyObject }, usage: anyObject },
      "id",
      "choices",
    ),
    OpenAiResponseRequest: objectOf(
      {
        model: text,
        input: { oneOf: [text, { type: "array", items: anyObject, minItems: 1 }] },
        instructions: { ...text, nullable: true },
        previous_response_id: { ...text, nullable: true },
        store: { type: "boolean", nullable: true },
        background: { type: "boolean", nullable: true },
        ...optional,
      },
      "model",
      "input",
    ),
    OpenAiResponse: objectOf(
      {
        id: text,
        object: { type: "string", enum: ["response"] },
        status: { type: "string", enum: ["queued", "in_progress", "completed", "failed", "cancelled", "incomplete"] },
        output: { type: "array", items: anyObject },
      },
      "id",
      "status",
      "output",
    ),
    ...otherSchemas(),
  };
}

function otherSchemas(): Record<string, object> {
  return {
    OpenAiDeleted: objectOf({ id: text, object: text, deleted: { type: "boolean" } }, "id", "deleted"),
    OpenAiItemList: listOf(anyObject),
    OpenAiError: objectOf(
      {
        error: objectOf(
          { message: text, type: text, param: { ...text, nullable: true }, code: { ...text, nullable: true } },
          "message",
          "type",
        ),
      },
      "error",
    ),
  };
}
