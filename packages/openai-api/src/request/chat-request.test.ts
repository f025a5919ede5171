import { describe, expect, it } from "vitest";
import { readChatRequest } from "./chat-request.ts";

const hi = [{ role: "user", content: "Hi" }];
const schema = { type: "object", properties: { city: { type: "string" } } };
const tool = { type: "function", function: { name: "get_time", description: "Tells é.", parameters: schema } };
const other = { type: "function", function: { name: "other" } };

const least = {
  model: "helper",
  stream: false,
  includeUsage: false,
  conversation: { instructions: undefined, input: "Hi", history: [], outputs: [], userMessages: 0 },
  tools: { clientTools: [], toolChoice: undefined },
  format: {},
  maxTokens: undefined,
  user: undefined,
};

const read = (fields: object) => readChatRequest({ model: "helper", messages: hi, ...fields });

describe("a request of Chat Completions", () => {
  it("has defaults for all that is missing or null", () => {
    const names = ["stream", "stream_options", "tools", "tool_choice", "response_format", "max_tokens", "user", "n"];
    const absent = ["max_completion_tokens", "audio", "functions", "web_search_options", "logprobs", "top_logprobs"];
    const nulls = Object.fromEntries([...names, ...absent].map((name) => [name, null]));

    expect(read({})).toEqual(least);
    expect(read(nulls)).toEqual(least);
  });

  it.each<[object, object]>([
    [{ model: 7 }, { model: 7 }],
    [{ stream: true }, { stream: true }],
    [{ stream_options: { include_usage: true } }, { includeUsage: true }],
    [{ stream_options: { include_usage: false } }, {}],
    [{ stream_options: {} }, {}],
    [{ max_tokens: 5 }, { maxTokens: 5 }],
    [{ max_completion_tokens: 6 }, { maxTokens: 6 }],
    [{ max_tokens: 5, max_completion_tokens: 6 }, { maxTokens: 6 }],
    [{ user: "ä" }, { user: "ä" }],
    [{ n: 1, logprobs: false, top_logprobs: 0, modalities: ["text"] }, {}],
    [{ response_format: { type: "text" } }, {}],
    [{ response_format: { type: "json_object" } }, { format: { responseFormat: "json" } }],
    [
      { response_format: { type: "json_schema", json_schema: { name: "x", schema } } },
      { format: { outputSchema: schema } },
    ],
  ])("of %j differs from the least in %j", (fields, difference) => {
    expect(read(fields)).toEqual({ ...least, ...difference });
  });

  it.each<[object, object]>([
    [{ tools: [] }, { clientTools: [], toolChoice: undefined }],
    [
      { tools: [tool, other] },
      {
        clientTools: [{ name: "get_time", description: "Tells é.", parameters: schema }, { name: "other" }],
        toolChoice: undefined,
      },
    ],
    [
      { tools: [{ type: "function", function: { name: "a", description: null, parameters: null } }] },
      { clientTools: [{ name: "a" }], toolChoice: undefined },
    ],
    [
      { tools: [other], tool_choice: "none" },
      { clientTools: [], toolChoice: undefined },
    ],
    [
      { tools: [other], tool_choice: null },
      { clientTools: [{ name: "other" }], toolChoice: undefined },
    ],
    [
      { tools: [other], tool_choice: "auto" },
      { clientTools: [{ name: "other" }], toolChoice: undefined },
    ],
    [
      { tools: [other], tool_choice: "required" },
      { clientTools: [{ name: "other" }], toolChoice: "required" },
    ],
    [
      { tools: [tool, other], tool_choice: { type: "function", function: { name: "other" } } },
      expect.objectContaining({ toolChoice: { tool: "other" } }),
    ],
    [
      { tools: [other], tool_choice: { type: "function", name: "other" } },
      { clientTools: [{ name: "other" }], toolChoice: { tool: "other" } },
    ],
    [
      { tools: [other], tool_choice: { type: "allowed_tools", name: "nobody" } },
      { clientTools: [{ name: "other" }], toolChoice: undefined },
    ],
    [
      { tools: [], tool_choice: "required" },
      { clientTools: [], toolChoice: undefined },
    ],
    [{ tool_choice: "required" }, { clientTools: [], toolChoice: undefined }],
  ])("of %j has the tools %j", (fields, tools) => {
    expect(read(fields).tools).toEqual(tools);
  });

  const unsupported = "unsupported_parameter";
  it.each<[object, string, string, string?]>([
    [{ n: 2 }, "n", "must be 1: a run has one answer.", unsupported],
    [{ n: 0 }, "n", "must be 1: a run has one answer.", unsupported],
    [{ logprobs: true }, "logprobs", "is not supported.", unsupported],
    [{ top_logprobs: 1 }, "top_logprobs", "is not supported.", unsupported],
    [{ audio: {} }, "audio", "is not supported: an answer is text.", unsupported],
    [{ modalities: ["text", "audio"] }, "modalities", "must be text alone.", unsupported],
    [{ functions: [] }, "functions", "is not supported. Send tools.", unsupported],
    [{ web_search_options: {} }, "web_search_options", "is not supported: the tools are the agent's.", unsupported],
    [{ stream: "yes" }, "stream", "must be true or false."],
    [{ stream_options: true }, "stream_options", "must be an object."],
    [{ messages: undefined }, "messages", "must be an array."],
    [{ messages: [] }, "messages", "must have a message."],
    [{ messages: [7] }, "messages[0]", "must be an object."],
    [{ messages: [...hi, {}] }, "messages[1].role", "must be system, developer, user, assistant or tool."],
    [{ messages: [{ role: "system", content: "a" }] }, "messages", "must end with a message of the user."],
    [{ messages: [{ role: "assistant", content: "a" }] }, "messages", "must end with a message of the user."],
    [{ messages: [{ role: "tool", content: "a" }] }, "messages[0].tool_call_id", "must be a string."],
    [{ messages: [{ role: "assistant", tool_calls: {} }] }, "messages[0].tool_calls", "must be an array."],
    [{ messages: [{ role: "assistant", tool_calls: [7] }] }, "messages[0].tool_calls[0]", "must be an object."],
    [
      { messages: [{ role: "assistant", tool_calls: [{ id: "a" }] }] },
      "messages[0].tool_calls[0].function",
      "must be an object.",
    ],
    [
      { messages: [{ role: "assistant", tool_calls: [{ function: {} }] }] },
      "messages[0].tool_calls[0].id",
      "must be a string.",
    ],
    [
      { messages: [{ role: "assistant", tool_calls: [{ id: "a", function: {} }] }] },
      "messages[0].tool_calls[0].function.name",
      "must be a string.",
    ],
    [
      { messages: [{ role: "assistant", tool_calls: [{ id: "a", function: { name: "b", arguments: "[]" } }] }] },
      "messages[0].tool_calls[0].function.arguments",
      "must be the JSON of an object.",
    ],
    [{ max_tokens: 0 }, "max_tokens", "must be a positive integer."],
    [{ max_completion_tokens: 1.5 }, "max_completion_tokens", "must be a positive integer."],
    [{ user: 7 }, "user", "must be a string."],
    [{ tools: {} }, "tools", "must be an array."],
    [{ tools: [7] }, "tools[0]", "must be an object."],
    [
      { tools: [other, { type: "web_search" }] },
      "tools[1].type",
      'must be "function": tools of the vendor, and others, are the agent\'s own.',
      unsupported,
    ],
    [{ tools: [{ type: "function", function: 7 }] }, "tools[0].function", "must be an object."],
    [{ tools: [{ type: "function", function: {} }] }, "tools[0].function.name", "must be a string."],
    [{ tools: [{ type: "function" }] }, "tools[0].name", "must be a string."],
    [
      { tools: [{ type: "function", function: { name: "a", description: 7 } }] },
      "tools[0].function.description",
      "must be a string.",
    ],
    [
      { tools: [{ type: "function", function: { name: "a", parameters: [] } }] },
      "tools[0].function.parameters",
      "must be an object.",
    ],
    [{ tools: [other], tool_choice: "any" }, "tool_choice", "must be an object."],
    [{ tools: [other], tool_choice: {} }, "tool_choice.function", "must be an object."],
    [
      { tools: [other], tool_choice: { function: { name: "x" } } },
      "tool_choice",
      "must name one of the tools of the request.",
    ],
    [{ response_format: 7 }, "response_format", "must be an object."],
    [{ response_format: {} }, "response_format.type", 'must be "text", "json_object" or "json_schema".'],
    [{ response_format: { type: "json_schema", json_schema: 7 } }, "response_format.json_schema", "must be an object."],
    [{ response_format: { type: "json_schema" } }, "response_format.schema", "must be an object."],
    [
      { response_format: { type: "json_schema", json_schema: {} } },
      "response_format.json_schema.schema",
      "must be an object.",
    ],
  ])("is refused for %j at %s", (...[fields, param, problem, apiCode]) => {
    const refusal = {
      code: "invalid_request",
      message: `${param} ${problem}`,
      fields: { param, ...(apiCode !== undefined && { apiCode }) },
    };

    expect(() => read(fields)).toThrow(expect.objectContaining(refusal));
  });
});
