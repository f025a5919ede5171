import { objectsIn } from "../../json-body.ts";
import { drop, insert, repeat, set, swap } from "../edit-json.ts";
import type { Edit } from "../edit-json.ts";
import type { BrokenCase, HistoryTable } from "./history-table.ts";

const next: HistoryTable["next"] = (request, { content }) => {
  const calls = objectsIn(content).filter(({ type }) => type === "tool_use");
  const results = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "rain" }));
  const answered = [
    { role: "assistant", content },
    { role: "user", content: results },
  ];
  return { ...request, messages: [...objectsIn(request["messages"]), ...answered] };
};

const first = {
  model: "claude-opus-5-5",
  max_tokens: 2000,
  system: "Be short.",
  thinking: { type: "adaptive", display: "summarized" },
  messages: [{ role: "user", content: "Umbrella?" }],
  tools: [{ name: "get_weather", input_schema: { type: "object", properties: {} } }],
};

const more = (text = "And now?") => ({ type: "text", text });
const fiveMinutes = { type: "ephemeral" };
const marked = (text: string, ttl = "5m") => ({ ...more(text), cache_control: { type: "ephemeral", ttl } });
const budget = (tokens: number) => set("thinking", { type: "enabled", budget_tokens: tokens });
const elder: Edit[] = [set("model", "claude-haiku-4-5"), budget(1024)];

/**
 * The messages are: user, assistant (thinking, text, two calls), user (two results), assistant (thinking, call), user
 * (result).
 */
export const anthropicHistories: HistoryTable = {
  vendor: "anthropic's messages",
  path: "/v1/messages",
  headers: { "anthropic-version": "2026-10-21" },
  first,
  next,
  sound: [
    ["a user message follows the results", insert("messages.4.content.1", more())],
    [
      "results are in another order, where thinking is not bound",
      [...elder, swap("messages.2.content.0", "messages.2.content.1")],
    ],
    ["other instructions, where thinking is not bound", [...elder, set("system", "Be long.")]],
    [
      "text in its other form, with cache_control",
      set("messages.0.content", [{ ...more("Umbrella?"), cache_control: { type: "ephemeral" } }]),
    ],
    [
      "an earlier turn without its thinking",
      [insert("messages.5", answer()), insert("messages.6", asked()), ...forgotten()],
    ],
    ["thinking comes from a recorded answer", set("messages.3.content.0.signature", "EqQBCg-OPAQUE==")],
    ["no thinking at all", [drop("thinking"), ...forgotten()]],
    ["an empty result", drop("messages.4.content.0.content")],
  ],
  broken: [
    [
      "five marks",
      set(
        "messages.0.content",
        Array.from({ length: 5 }, () => marked("Umbrella?")),
      ),
      /A maximum of 4 blocks with cache_control may be provided\. Found 5\./,
    ],
    [
      "a fifth mark for the whole prompt",
      [
        set(
          "messages.0.content",
          Array.from({ length: 4 }, () => marked("Umbrella?")),
        ),
        set("cache_control", fiveMinutes),
      ],
      /Found 5/,
    ],
    ["a mark on thinking", set("messages.1.content.0.cache_control", fiveMinutes), /Extra inputs are not permitted/],
    ["a mark on an empty text", set("messages.0.content", [marked("")]), /cannot be set for empty text/],
    [
      "a mark without a type",
      set("messages.0.content", [{ ...marked("a"), cache_control: {} }]),
      /type: Input should be/,
    ],
    ["a mark for a day", set("messages.0.content", [marked("a", "1d")]), /ttl: Input should be/],
    [
      "a mark for an hour behind one for five minutes",
      set("messages.0.content", [marked("a"), marked("b", "1h")]),
      /must not come after/,
    ],
    [
      "a call has no result, as after a crash",
      drop("messages.2.content.1"),
      /without `tool_result` blocks immediately after/,
    ],
    ["the last call has no result", drop("messages.4"), /without `tool_result` blocks immediately after/],
    [
      "results are in the message after the next",
      insert("messages.2", asked()),
      /without `tool_result` blocks immediately after/,
    ],
    ["a result has lost its call, as after trimming", drop("messages.1.content.3"), /unexpected `tool_use_id`/],
    [
      "a result answers nothing that was called",
      insert("messages.4.content.1", result("x")),
      /unexpected `tool_use_id`/,
    ],
    ["a call is answered twice", repeat("messages.4.content.0"), /must have a single result/],
    ["text comes before a result", insert("messages.4.content.0", more()), /must come first/],
    ["a later call has the id of an earlier one", reuseId(), /ids must be unique/],
    ["an id with a forbidden letter", set("messages.3.content.1.id", "call.3"), /\.id: String should match/],
    ["a called tool has an impossible name", set("messages.3.content.1.name", "a.b"), /\.name: String should match/],
    ["arguments are a string", set("messages.3.content.1.input", "{}"), /valid dictionary/],
    ["a call with a field of our own", set("messages.3.content.1.arguments", {}), /arguments: Extra inputs/],
    [
      "the first message is the assistant's, as after trimming",
      drop("messages.0"),
      /first message must use the "user" role/,
    ],
    ["no messages", set("messages", []), /at least one message/],
    ["a role of another vendor", set("messages.0", { role: "tool", content: "x" }), /first message|Unexpected role/],
    [
      "instructions among the messages",
      insert("messages.1", { role: "system", content: "x" }),
      /Unexpected role "system"/,
    ],
    ["a message with a name", set("messages.0.name", "Ann"), /messages.0.name: Extra inputs/],
    ["a message without content", set("messages.0.content", []), /non-empty content/],
    ["empty text", set("messages.1.content.1.text", ""), /must be non-empty/],
    ["text of blanks", set("messages.1.content.1.text", " \n"), /non-whitespace/],
    ["a document by the assistant", insert("messages.1.content.1", { type: "document" }), /not allowed in assistant/],
    [
      "a call by the user",
      insert("messages.0", { role: "user", content: [{ type: "tool_use" }] }),
      /not allowed in user/,
    ],
    ["an image of another kind", image({ media_type: "image/bmp", data: "AAAA" }), /media_type/],
    ["an image as data URL", image({ media_type: "image/png", data: "data:image/png;base64,AAAA" }), /invalid base64/],
    [
      "the last message is the assistant's",
      insert("messages.5", answer()),
      /does not support assistant message prefill/,
    ],
    ...thinkingCases(),
    ...requestCases(),
  ],
};

/** Older API version, with an older model. */
export const olderAnthropicHistories: HistoryTable = {
  vendor: "anthropic's messages of before",
  path: "/v1/messages",
  headers: { "anthropic-version": "2023-06-01" },
  first: { ...first, model: "claude-haiku-4-5", thinking: { type: "enabled", budget_tokens: 1024 } },
  next,
  sound: [
    ["a temperature without thinking", [drop("thinking"), set("temperature", 0.2)]],
    ["the last message is the assistant's", insert("messages.5", answer())],
  ],
  broken: [
    ["the last message ends in a blank", insert("messages.5", answer("Take ")), /trailing whitespace/],
    ["temperature with thinking", set("temperature", 0.2), /only be set to 1 when thinking/],
    ["temperature and top_p together", [drop("thinking"), set("temperature", 0.2), set("top_p", 0.2)], /cannot both/],
    [
      "temperature for a newer model",
      [drop("thinking"), set("model", "claude-opus-4-8"), set("temperature", 0.2)],
      /deprecated/,
    ],
    ["a call has lost its thinking", drop("messages.3.content.0"), /Expected `thinking`/],
    ["thinking was altered", set("messages.3.content.0.thinking", "x"), /Invalid `signature`/],
    [
      "thinking was moved to another step",
      swap("messages.1.content.0.signature", "messages.3.content.0.signature"),
      /Invalid `signature`/,
    ],
  ],
};

function thinkingCases(): BrokenCase[] {
  return [
    ["a call has lost its thinking", drop("messages.3.content.0"), /Expected `thinking`.*found `tool_use`/],
    ["an earlier call of the turn has lost its thinking", drop("messages.1.content.0"), /Expected `thinking`/],
    ["text comes before thinking", swap("messages.1.content.0", "messages.1.content.1"), /Expected `thinking`/],
    ["thinking was altered", set("messages.3.content.0.thinking", "x"), /Invalid `signature`/],
    ["thinking has lost its signature", drop("messages.3.content.0.signature"), /Invalid `signature`/],
    [
      "other instructions than those that thinking is bound to",
      set("system", "Be long."),
      /bound to a different conversation/,
    ],
    [
      "other tools than those that thinking is bound to",
      set("tools.0.description", "x"),
      /bound to a different conversation/,
    ],
    [
      "another history than the one that thinking is bound to",
      set("messages.0.content", "Hat?"),
      /bound to a different conversation/,
    ],
    ["a budget for a model that takes none", budget(1024), /Use "thinking.type.adaptive"/],
    ["a small budget", [...elder, budget(1000)], /at least 1024/],
    ["a budget beyond the answer", [...elder, budget(2000)], /greater than `thinking.budget_tokens`/],
    ["adaptive thinking of an older model", set("model", "claude-haiku-4-5"), /adaptive thinking is not supported/],
    ["thinking that cannot be turned off", set("thinking", { type: "disabled" }), /thinking.type.disabled/],
  ];
}

function requestCases(): BrokenCase[] {
  const tool = (schema: object) => set("tools.0.input_schema", schema);
  const format = (schema: unknown) => set("output_config", { format: { type: "json_schema", schema } });
  return [
    ["no limit", drop("max_tokens"), /max_tokens: Field required/],
    ["a limit of 0", set("max_tokens", 0), /greater than 0/],
    ["no model", drop("model"), /model: Field required/],
    ["a temperature", set("temperature", 1), /temperature: Extra inputs are not permitted/],
    ["a field of another vendor", set("stop", []), /stop: Extra inputs/],
    ["empty instructions", set("system", ""), /system: text content blocks must be non-empty/],
    ["instructions with an empty block", set("system", [more("")]), /system.0: text content blocks/],
    ["a tool with an impossible name", set("tools.0.name", "a.b"), /tools.0.name/],
    ["a tool whose schema is no object", tool({ type: "string" }), /input_schema.type/],
    ["a tool with a union schema", tool({ type: "object", anyOf: [] }), /at the top level/],
    ["two tools with one name", repeat("tools.0"), /Tool names must be unique/],
    ["a choice without tools", [drop("tools"), set("tool_choice", { type: "auto" })], /while providing tools/],
    ["a choice of an unknown tool", set("tool_choice", { type: "tool", name: "x" }), /'x' not found/],
    ["a forced call", [drop("thinking"), set("tool_choice", { type: "any" })], /forces tool use/],
    ["a forced call with thinking", [...elder, set("tool_choice", { type: "any" })], /forces tool use/],
    ["a format without a schema", format(undefined), /schema: Field required/],
    ["a format with an open object", format({ type: "object" }), /explicitly set to false/],
    [
      "a format with a limit",
      format({ type: "array", items: { type: "integer", minimum: 1 } }),
      /'minimum' is not supported/,
    ],
  ];
}

function result(id: string): object {
  return { type: "tool_result", tool_use_id: id, content: "rain" };
}

function asked(): object {
  return { role: "user", content: "And tomorrow?" };
}

function answer(text = "Take one."): object {
  return { role: "assistant", content: text };
}

function image(source: object): Edit {
  return set("messages.0.content", [{ type: "image", source: { type: "base64", ...source } }]);
}

function forgotten(): Edit[] {
  return [drop("messages.3.content.0"), drop("messages.1.content.0")];
}

function reuseId(): Edit[] {
  return [set("messages.3.content.1.id", "call_1"), set("messages.4.content.0.tool_use_id", "call_1")];
}
