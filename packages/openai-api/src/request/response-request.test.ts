import { describe, expect, it } from "vitest";
import { readResponseRequest } from "./response-request.ts";

const read = (fields: object) => readResponseRequest({ model: "helper", input: "Hi", ...fields });
const noted = { instructions: undefined, history: [], outputs: [], userMessages: 0 };

const least = {
  model: "helper",
  stream: false,
  background: false,
  store: true,
  instructions: undefined,
  previousId: undefined,
  sessionId: undefined,
  conversation: { ...noted, input: "Hi" },
  approvals: [],
  tools: { clientTools: [], toolChoice: undefined },
  format: {},
  maxTokens: undefined,
  user: undefined,
};

const approval = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: '{"a":1}' };
const output = { type: "function_call_output", call_id: "c1", output: "é" };
const schema = { type: "object" };
const tool = { type: "function", name: "f", description: "F.", parameters: schema };

describe("a request of the Responses API", () => {
  it("has defaults for all that is missing or null", () => {
    const names = ["stream", "background", "store", "instructions", "previous_response_id", "conversation", "tools"];
    const others = ["text", "max_output_tokens", "user", "prompt", "top_logprobs", "include", "context_management"];
    const nulls = Object.fromEntries([...names, ...others].map((name) => [name, null]));

    expect(read({})).toEqual({ ...least, body: { model: "helper", input: "Hi" } });
    expect(read(nulls)).toMatchObject(least);
  });

  it.each<[object, object]>([
    [{ model: 7 }, { model: 7 }],
    [{ stream: true }, { stream: true }],
    [{ background: true }, { background: true }],
    [{ store: false }, { store: false }],
    [{ instructions: "é" }, { instructions: "é" }],
    [{ previous_response_id: "r" }, { previousId: "r" }],
    [{ conversation: "c" }, { sessionId: "c" }],
    [{ conversation: { id: "c" } }, { sessionId: "c" }],
    [{ max_output_tokens: 9 }, { maxTokens: 9 }],
    [{ user: "u" }, { user: "u" }],
    [{ top_logprobs: 0, include: ["file"], context_management: [] }, {}],
    [{ text: {} }, {}],
    [{ text: { format: { type: "json_object" } } }, { format: { responseFormat: "json" } }],
    [{ text: { format: { type: "json_schema", name: "x", schema } } }, { format: { outputSchema: schema } }],
    [
      { tools: [tool], tool_choice: { type: "function", name: "f" } },
      {
        tools: { clientTools: [{ name: "f", description: "F.", parameters: schema }], toolChoice: { tool: "f" } },
      },
    ],
    [
      {
        instructions: "one",
        input: [
          { role: "developer", content: "two" },
          { role: "user", content: "Hi" },
        ],
      },
      { instructions: "one\n\ntwo", conversation: { ...noted, instructions: "two", input: "Hi" } },
    ],
    [
      { input: [approval] },
      {
        conversation: { ...noted, input: undefined },
        approvals: [{ requestId: "mcpr_1", isApproved: true, reason: undefined, param: "input[0]" }],
      },
    ],
    [
      { input: [{ ...approval, approve: null, reason: "No." }, output] },
      {
        approvals: [{ requestId: "mcpr_1", isApproved: false, reason: "No.", param: "input[0]" }],
        conversation: { ...noted, input: undefined, outputs: [{ callId: "c1", output: "é", param: "input[1]" }] },
      },
    ],
    [
      {
        input: [
          { role: "user", content: [{ type: "input_text", text: "a" }] },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] },
          { type: "reasoning", summary: [] },
          { type: "item_reference", id: "x" },
          { type: "mcp_list_tools" },
          { type: "mcp_approval_request" },
          call,
          output,
          { type: "mcp_call", id: "m1", name: "g", arguments: "{}" },
          { type: "function_call_output", call_id: "m1", output: [{ type: "input_text", text: "r" }] },
          { role: "user", content: "Hi" },
        ],
      },
      {
        conversation: {
          ...noted,
          input: "Hi",
          userMessages: 1,
          history: [
            { role: "user", content: "a" },
            { role: "assistant", content: "b" },
            { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "f", arguments: { a: 1 } }] },
            { role: "tool", content: "é", toolCallId: "c1" },
            { role: "assistant", content: null, toolCalls: [{ id: "m1", name: "g", arguments: {} }] },
            { role: "tool", content: "r", toolCallId: "m1" },
          ],
        },
      },
    ],
  ])("of %j differs from the least in %j", (fields, difference) => {
    const { body, ...request } = read(fields);

    expect(request).toEqual({ ...least, ...difference });
    expect(body).toEqual({ model: "helper", input: "Hi", ...fields });
  });

  const unsupported = "unsupported_parameter";
  it.each<[object, string, string, string?]>([
    [{ prompt: {} }, "prompt", "is not supported: prompts are the agent's own.", unsupported],
    [{ top_logprobs: 1 }, "top_logprobs", "is not supported.", unsupported],
    [
      { include: ["message.output_text.logprobs"] },
      "include",
      "must not name message.output_text.logprobs, which is not supported.",
      unsupported,
    ],
    [
      { context_management: [{}] },
      "context_management",
      "is not supported: the service bounds what a model gets.",
      unsupported,
    ],
    [{ stream: 1 }, "stream", "must be true or false."],
    [{ store: 1 }, "store", "must be true or false."],
    [{ background: 1 }, "background", "must be true or false."],
    [{ background: true, store: false }, "background", "needs a response that is stored. Leave out store."],
    [{ instructions: 1 }, "instructions", "must be a string."],
    [{ previous_response_id: 1 }, "previous_response_id", "must be a string."],
    [
      { previous_response_id: "r", conversation: "c" },
      "conversation",
      "must be left out beside previous_response_id, which names its conversation.",
    ],
    [{ conversation: 7 }, "conversation", "must be an object."],
    [{ max_output_tokens: 0 }, "max_output_tokens", "must be a positive integer."],
    [{ user: 1 }, "user", "must be a string."],
    [{ text: 1 }, "text", "must be an object."],
    [{ text: { format: {} } }, "text.format.type", 'must be "text", "json_object" or "json_schema".'],
    [{ text: { format: { type: "json_schema" } } }, "text.format.schema", "must be an object."],
    [{ tools: [{ type: "mcp" }] }, "tools[0].type", expect.stringContaining("must be"), unsupported],
    [{ input: [] }, "input", "must have an item."],
    [{ input: [{ type: "reasoning" }] }, "input", "must end with a message of the user."],
    [{ conversation: "a b" }, "conversation", "must be the id of a session: 1 to 128 of A-Z, a-z, 0-9 and _ . : @ -."],
    [{ input: [7] }, "input[0]", "must be an object."],
    [{ input: [{ role: "robot" }] }, "input[0].role", "must be system, developer, user or assistant."],
    [{ input: [{ ...approval, approve: "yes" }] }, "input[0].approve", "must be true or false."],
    [{ input: [{ ...approval, reason: 1 }] }, "input[0].reason", "must be a string."],
    [{ input: [{ ...approval, approval_request_id: 1 }] }, "input[0].approval_request_id", "must be a string."],
    [{ input: [{ ...call, id: 7, call_id: undefined }] }, "input[0].call_id", "must be a string."],
    [{ input: [{ ...call, name: 7 }] }, "input[0].name", "must be a string."],
    [{ input: [{ ...call, arguments: "7" }] }, "input[0].arguments", "must be the JSON of an object."],
    [{ input: [{ ...output, call_id: 7 }] }, "input[0].call_id", "must be a string."],
    [{ input: [{ ...output, output: 7 }] }, "input[0].output", "must be an array."],
    [{ input: [{ role: "user", content: 7 }] }, "input[0].content", "must be an array."],
    [
      { input: [{ type: "x".repeat(65) }] },
      "input[0].type",
      `must be message, function_call or function_call_output, got "${"x".repeat(64)}".`,
    ],
  ])("is refused for %j at %s", (...[fields, param, problem, apiCode]) => {
    const message: unknown = typeof problem === "string" ? `${param} ${problem}` : problem;
    const refusal = {
      code: "invalid_request",
      message,
      fields: { param, ...(apiCode !== undefined && { apiCode }) },
    };

    expect(() => read(fields)).toThrow(expect.objectContaining(refusal));
  });
});
