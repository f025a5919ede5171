import { objectOf, objectsIn } from "../../json-body.ts";
import { drop, insert, repeat, set, swap } from "../edit-json.ts";
import type { HistoryTable } from "./history-table.ts";

/** The messages are: user, assistant with two calls, two results, assistant with one call, its result. */
export const ollamaHistories: HistoryTable = {
  vendor: "ollama's chat",
  path: "/api/chat",
  first: {
    model: "qwen3:8b",
    stream: false,
    messages: [{ role: "user", content: "Umbrella?" }],
    tools: [{ type: "function", function: { name: "get_weather", parameters: { type: "object", properties: {} } } }],
  },
  next: (request, answer) => {
    const message = objectOf(answer["message"]);
    const results = objectsIn(message["tool_calls"]).map(({ id, function: called }) => {
      const { name } = objectOf(called);
      return { role: "tool", content: "rain", tool_name: name, tool_call_id: id };
    });
    return { ...request, messages: [...objectsIn(request["messages"]), message, ...results] };
  },
  sound: [
    ["a user message follows", insert("messages.6", { role: "user", content: "And now?" })],
    ["results are known by name alone", drop("messages.5.tool_call_id")],
    ["an unknown field", set("something", 1)],
    ["an answer in JSON", set("format", { type: "object" })],
    ["no thinking for a model that has none", [set("model", "llama3.2"), set("think", false)]],
  ],
  broken: [
    ["a call has no result, as after a crash", drop("messages.3"), /has no tool message right after it/],
    ["the last call has no result", drop("messages.5"), /has no tool message right after it/],
    ["results have lost their call, as after trimming", drop("messages.1"), /must answer a tool call/],
    ["a result answers nothing that was called", set("messages.5.tool_call_id", "x"), /must answer a tool call/],
    ["a call is answered twice", repeat("messages.5"), /must answer a tool call/],
    ["a result comes before its call", swap("messages.4", "messages.5"), /must answer a tool call/],
    [
      "a user message between a call and its result",
      insert("messages.3", { role: "user", content: "Hurry!" }),
      /right after it/,
    ],
    ["null as content", set("messages.4.content", null), /cannot unmarshal object/],
    ["parts as content", set("messages.0.content", []), /cannot unmarshal array/],
    ["arguments are a string", set("messages.4.tool_calls.0.function.arguments", "{}"), /cannot unmarshal string/],
    ["a call has no name", drop("messages.4.tool_calls.0.function.name"), /has no name/],
    ["the user calls a tool", set("messages.0.tool_calls", []), /only the assistant calls tools/],
    ["a role of another vendor", set("messages.0.role", "developer"), /invalid role/],
    ["an image as data URL", set("messages.0.images", ["data:image/png;base64,AAAA"]), /illegal base64/],
    ["no model", drop("model"), /model is required/],
    ["thinking of a model that has none", [set("model", "llama3.2"), set("think", true)], /does not support thinking/],
    ["tools for a model that has none", set("model", "gemma3:1b"), /does not support tools/],
    ["a format that does not exist", set("format", "yaml"), /invalid format/],
    ["a tool without a name", drop("tools.0.function.name"), /tools\[0\] has no name/],
    ["a tool without properties", drop("tools.0.function.parameters.properties"), /tools\[0\] has no properties/],
  ],
};
