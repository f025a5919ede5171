import { objectOf, objectsIn } from "../../json-body.ts";
import { drop, insert, repeat, set, swap } from "../edit-json.ts";
import type { BrokenCase, HistoryTable } from "./history-table.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const looseSchema = { type: "object", properties: { city: { type: "string" } } };

/** The messages are: system, user, assistant with two calls, two results, assistant with one call, its result. */
export const openaiChatHistories: HistoryTable = {
  vendor: "openai's chat",
  path: "/v1/chat/completions",
  first: {
    model: "gpt-4.1",
    messages: [
      { role: "system", content: "Be short." },
      { role: "user", content: "Umbrella?" },
    ],
    tools: [{ type: "function", function: { name: "get_weather", parameters: schema, strict: true } }],
  },
  next: (request, answer) => {
    const message = objectOf(objectsIn(answer["choices"])[0]?.["message"]);
    const results = objectsIn(message["tool_calls"]).map(({ id }) => ({
      role: "tool",
      tool_call_id: id,
      content: "rain",
    }));
    return { ...request, messages: [...objectsIn(request["messages"]), message, ...results] };
  },
  sound: [
    ["a user message follows", insert("messages.7", { role: "user", content: [{ type: "text", text: "And now?" }] })],
    ["an answer follows", insert("messages.7", { role: "assistant", content: "Take one." })],
    ["calls come without text", set("messages.2.content", null)],
    ["results are in another order", swap("messages.3", "messages.4")],
    ["an empty result", set("messages.3.content", "")],
    ["a model that reasons is given no temperature", set("model", "gpt-6.1-sol")],
    ["tools and no reasoning", [set("model", "gpt-6.1-sol"), set("reasoning_effort", "none")]],
    ["a later call has the id of an earlier one", reuseId()],
  ],
  broken: [
    ["a call has no result, as after a crash", drop("messages.4"), /did not have response messages/],
    ["the last call has no result", drop("messages.6"), /did not have response messages/],
    ["a result has lost its call, as after trimming", drop("messages.2"), /must be a response to a preceeding/],
    ["a result answers nothing that was called", set("messages.4.tool_call_id", "x"), /must be a response/],
    ["a call is answered twice", repeat("messages.6"), /must be a response/],
    ["a result comes before its call", swap("messages.5", "messages.6"), /must be a response/],
    ["a user message between a call and its result", insert("messages.4", user()), /did not have response messages/],
    ["two calls share an id", shareId(), /Duplicate value/],
    ["a call has no id", set("messages.5.tool_calls.0.id", ""), /Missing required parameter: 'id'/],
    ["a call has no type", drop("messages.5.tool_calls.0.type"), /Invalid value for 'type'/],
    ["arguments are an object", set("messages.5.tool_calls.0.function.arguments", {}), /expected a string/],
    [
      "a called tool has an impossible name",
      set("messages.5.tool_calls.0.function.name", "a.b"),
      /Invalid 'function.name'/,
    ],
    ["an empty array of calls", set("messages.5.tool_calls", []), /too short - 'messages.\[5\].tool_calls'/],
    ["the user calls a tool", insert("messages.2", { ...user(), tool_calls: [] }), /for the assistant alone/],
    [
      "an assistant message without content and calls",
      [drop("messages.5"), set("messages.5", { role: "assistant", content: null })],
      /got null/,
    ],
    ["a user message without content", set("messages.1.content", null), /got null/],
    ["an empty array of parts", set("messages.1.content", []), /too short - 'messages.\[1\].content'/],
    ["a result with an image", set("messages.6.content", [{ type: "image_url" }]), /parts of type 'text' alone/],
    ["a role that does not exist", set("messages.1.role", "human"), /Invalid value for 'role'/],
    ["a name with a space", set("messages.1.name", "Ann Lee"), /Invalid 'messages.\[1\].name'/],
    [
      "a message with a field of our own",
      set("messages.1.toolCalls", []),
      /Unknown parameter: 'messages.\[1\].toolCalls'/,
    ],
    ["no messages", set("messages", []), /too short - 'messages'/],
    ...requestCases(),
  ],
};

function requestCases(): BrokenCase[] {
  const format = (strict: object) => set("response_format", { type: "json_schema", json_schema: strict });
  const reasoning = set("model", "gpt-6.1-sol");
  return [
    ["no model", drop("model"), /must provide a model/],
    ["a field of another interface", set("max_output_tokens", 1), /Unknown parameter: 'max_output_tokens'/],
    ["an empty array of tools", set("tools", []), /too short - 'tools'/],
    ["a choice of tools without tools", [drop("tools"), set("tool_choice", "auto")], /only allowed when 'tools'/],
    ["parallel calls without tools", [drop("tools"), set("parallel_tool_calls", true)], /only allowed when 'tools'/],
    ["a tool with an impossible name", set("tools.0.function.name", "weather/get"), /does not match pattern/],
    ["a tool without a type", drop("tools.0.type"), /Invalid value for 'type'/],
    ["a strict tool with an open schema", set("tools.0.function.parameters", looseSchema), /additionalProperties/],
    ["a strict tool with an optional field", set("tools.0.function.parameters.required", []), /Missing 'city'/],
    [
      "a strict tool with oneOf",
      set("tools.0.function.parameters.properties.city", { oneOf: [] }),
      /'oneOf' is not permitted/,
    ],
    ["stream options without a stream", set("stream_options", { include_usage: true }), /when 'stream' is enabled/],
    [
      "a strict answer with an open schema",
      format({ name: "a", strict: true, schema: looseSchema }),
      /additionalProperties/,
    ],
    ["a format of an answer without a name", format({ schema }), /json_schema.name/],
    ["effort for a model that does not reason", set("reasoning_effort", "low"), /reasoning_effort/],
    [
      "temperature for a model that reasons",
      [reasoning, set("temperature", 0.8)],
      /'temperature' does not support 0.8/,
    ],
    ["top_p for a model that reasons", [reasoning, set("top_p", 0.8)], /'top_p' does not support/],
    ["max_tokens for a model that reasons", [reasoning, set("max_tokens", 9)], /Use 'max_completion_tokens'/],
    ["reasoning and tools together", [reasoning, set("reasoning_effort", "low")], /not supported for gpt-6.1-sol/],
  ];
}

function user(): object {
  return { role: "user", content: "Hurry!" };
}

function shareId(): (document: unknown) => void {
  return set("messages.2.tool_calls", [
    { id: "x", type: "function", function: { name: "a", arguments: "{}" } },
    { id: "x", type: "function", function: { name: "b", arguments: "{}" } },
  ]);
}

function reuseId(): ((document: unknown) => void)[] {
  return [set("messages.5.tool_calls.0.id", "call_1"), set("messages.6.tool_call_id", "call_1")];
}
