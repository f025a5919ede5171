import { objectsIn } from "../../json-body.ts";
import { drop, insert, repeat, set, swap } from "../edit-json.ts";
import type { BrokenCase, HistoryTable } from "./history-table.ts";

const schema = { type: "object", properties: {}, required: [], additionalProperties: false };

/** The items are: user, reasoning, message, two calls, two outputs, reasoning, call, output. */
export const openaiResponsesHistories: HistoryTable = {
  vendor: "openai's responses",
  path: "/v1/responses",
  first: {
    model: "gpt-6.1-sol",
    store: false,
    instructions: "Be short.",
    reasoning: { summary: "auto" },
    include: ["reasoning.encrypted_content"],
    input: [{ role: "user", content: [{ type: "input_text", text: "Umbrella?" }] }],
    tools: [{ type: "function", name: "get_weather", parameters: schema, strict: true }],
  },
  next: (request, { output }) => {
    const calls = objectsIn(output).filter(({ type }) => type === "function_call");
    const outputs = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "rain" }));
    return { ...request, input: [...objectsIn(request["input"]), ...objectsIn(output), ...outputs] };
  },
  sound: [
    ["a user message follows", insert("input.10", { role: "user", content: "And now?" })],
    ["an earlier turn came without ids and reasoning", [...forgotten(), drop("input.1")]],
    ["an earlier answer as plain text", set("input.2", { role: "assistant", content: "Let me see." })],
    ["reasoning comes from a recorded answer", set("input.7.encrypted_content", "gAAAAAB-FINAL-OPAQUE")],
    ["outputs are in another order", swap("input.5", "input.6")],
    ["an empty output", set("input.5.output", "")],
    ["a model that does not reason has a temperature", [...withoutReasoning(), set("temperature", 0.2)]],
    ["text alone", set("input", "Umbrella?")],
  ],
  broken: [
    ["a call has no output, as after a crash", drop("input.6"), /No tool output found/],
    ["the last call has no output", drop("input.9"), /No tool output found/],
    ["an output has lost its call, as after trimming", drop("input.4"), /No tool call found/],
    ["an output answers nothing that was called", set("input.5.call_id", "x"), /No tool call found/],
    ["an output names the item instead of the call", set("input.9.call_id", "fc_1"), /No tool call found/],
    ["a call has two outputs", repeat("input.9"), /No tool call found/],
    ["an output comes before its call", swap("input.8", "input.9"), /following item|No tool call found/],
    [
      "two open calls share an id",
      [set("input.4.call_id", "call_1"), set("input.4.id", "fc_9")],
      /Duplicate tool call/,
    ],
    ["an item occurs twice", repeat("input.2"), /Duplicate item found/],
    ["a call has lost its reasoning", drop("input.7"), /without its required 'reasoning' item/],
    [
      "reasoning comes without its next item",
      [drop("input.9"), drop("input.8")],
      /without its required following item/,
    ],
    ["reasoning is not the vendor's", set("input.7.id", "rs_unknown"), /could not be verified/],
    ["reasoning was shortened", set("input.7.summary", []), /could not be verified/],
    [
      "reasoning that was copied before it was complete",
      set("input.7.encrypted_content", "gAAAA-PARTIAL"),
      /could not be verified/,
    ],
    ["reasoning without its encrypted content, with nothing stored", drop("input.7.encrypted_content"), /not found/],
    ["reasoning without a summary", drop("input.7.summary"), /'input\[7\].summary'/],
    ["reasoning with a field of our own", set("input.7.text", ""), /Unknown parameter: 'input\[7\].text'/],
    [
      "a reference to an item that was never stored",
      insert("input.1", { type: "item_reference", id: "rs_1" }),
      /'rs_1' not found/,
    ],
    ["a response that was never stored", set("previous_response_id", "resp_1"), /'resp_1' not found/],
    ["a call whose item id is its call_id", set("input.8.id", "call_3"), /begins with 'fc'/],
    ["a message under a strange id", set("input.2.id", "m-1"), /begins with 'msg'/],
    ["a call has no call_id", drop("input.8.call_id"), /Missing required parameter: 'input\[8\].call_id'/],
    ["arguments are an object", set("input.8.arguments", {}), /expected a string/],
    ["a called tool has an impossible name", set("input.8.name", "a.b"), /Invalid 'input\[8\].name'/],
    [
      "a call with a field of another interface",
      set("input.8.function", {}),
      /Unknown parameter: 'input\[8\].function'/,
    ],
    ["an output without content", drop("input.9.output"), /Missing required parameter: 'input\[9\].output'/],
    [
      "an output with a field of another interface",
      set("input.9.content", ""),
      /Unknown parameter: 'input\[9\].content'/,
    ],
    ["a message of another interface", set("input.0", { role: "tool", content: "x" }), /Invalid value for 'role'/],
    ["a message with a name", set("input.0.name", "Ann"), /Unknown parameter: 'input\[0\].name'/],
    ["a message without content", set("input.0.content", []), /Invalid type for 'input\[0\].content'/],
    [
      "the assistant's text as the user's",
      set("input.2.content.0.type", "input_text"),
      /Supported values are: output_text/,
    ],
    [
      "the user's text as the assistant's",
      set("input.0.content.0.type", "output_text"),
      /Supported values are: input_text/,
    ],
    ["an item that does not exist", set("input.0", { type: "tool_result" }), /Invalid value: 'tool_result'/],
    ["no input", set("input", []), /must be provided/],
    ...requestCases(),
  ],
};

function requestCases(): BrokenCase[] {
  const loose = { type: "object", properties: {} };
  const format = (fields: object) => set("text", { format: { type: "json_schema", ...fields } });
  return [
    ["no model", drop("model"), /Missing required parameter: 'model'/],
    ["stop sequences, which Responses does not have", set("stop", ["x"]), /Unknown parameter: 'stop'/],
    ["messages of another interface", set("messages", []), /Unknown parameter: 'messages'/],
    ["a tool of another interface", [drop("tools.0.name"), set("tools.0.function", {})], /Invalid 'tools\[0\].name'/],
    ["a tool without a type", drop("tools.0.type"), /Missing required parameter: 'tools\[0\].type'/],
    ["a strict tool with an open schema", set("tools.0.parameters", loose), /additionalProperties/],
    [
      "a forced choice without tools",
      [drop("tools"), set("tool_choice", "required")],
      /must be specified with 'tools'/,
    ],
    ["a choice of an unknown tool", set("tool_choice", { type: "function", name: "x" }), /'x' not found in 'tools'/],
    ["temperature for a model that reasons", set("temperature", 0.8), /'temperature' does not support 0.8/],
    ["reasoning of a model that does not", set("model", "gpt-4.1"), /not supported with this model/],
    ["stream options without a stream", set("stream_options", {}), /when 'stream' is enabled/],
    ["a format without a name", format({ schema }), /text.format.name/],
    ["a format without a schema", format({ name: "a" }), /text.format.schema/],
    ["a strict format with an open schema", format({ name: "a", strict: true, schema: loose }), /additionalProperties/],
  ];
}

/** Returns the first step as in another vendor's history: without encrypted content and ids. */
function forgotten(): ((document: unknown) => void)[] {
  return [drop("input.3.id"), drop("input.4.id"), drop("input.2.id")];
}

function withoutReasoning(): ((document: unknown) => void)[] {
  return [set("model", "gpt-4.1"), drop("reasoning")];
}
