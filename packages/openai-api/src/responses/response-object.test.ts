import { describe, expect, it } from "vitest";
import { readResponseRequest } from "../request/response-request.ts";
import { echoOf, newResponse, noEcho, usageOf } from "./response-object.ts";

const read = (fields: object) => readResponseRequest({ model: "helper", input: "Hi", ...fields });
const schema = { type: "object" };
const tool = { type: "function", name: "f", description: "F.", parameters: schema };

describe("a new response", () => {
  it("repeats what its request says, and has the defaults of the API for all else", () => {
    const created = { id: "resp_1", model: "helper", createdAt: 1_999 };

    expect(newResponse(created, echoOf(read({})))).toEqual({
      id: "resp_1",
      object: "response",
      created_at: 1,
      completed_at: null,
      status: "in_progress",
      incomplete_details: null,
      model: "helper",
      output: [],
      error: null,
      usage: null,
      instructions: null,
      tools: [],
      tool_choice: "auto",
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      max_output_tokens: null,
      text: { format: { type: "text" } },
      metadata: {},
      parallel_tool_calls: true,
      store: true,
      background: false,
      previous_response_id: null,
      conversation: null,
      user: null,
      max_tool_calls: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      prompt_cache_key: null,
      service_tier: "default",
      top_logprobs: 0,
      truncation: "disabled",
    });
    expect(echoOf(read({}))).toEqual(noEcho);
  });

  it.each<[object, object]>([
    [{ instructions: "é" }, { instructions: "é" }],
    [{ instructions: "" }, { instructions: "" }],
    [
      { tools: [tool, { type: "function", name: "g" }] },
      {
        tools: [
          { type: "function", name: "f", description: "F.", parameters: schema, strict: false },
          { type: "function", name: "g", description: null, parameters: null, strict: false },
        ],
      },
    ],
    [{ tool_choice: "none" }, { tool_choice: "none" }],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ top_p: 0.5 }, { top_p: 0.5 }],
    [{ presence_penalty: 2 }, { presence_penalty: 2 }],
    [{ frequency_penalty: -2 }, { frequency_penalty: -2 }],
    [{ temperature: "1" }, {}],
    [{ max_output_tokens: 4 }, { max_output_tokens: 4 }],
    [{ text: { format: { type: "json_object" } } }, { text: { format: { type: "json_object" } } }],
    [{ text: { format: null } }, {}],
    [{ metadata: { a: "b", c: 1, d: null } }, { metadata: { a: "b" } }],
    [{ metadata: ["a"] }, {}],
    [{ metadata: "a" }, {}],
    [{ parallel_tool_calls: false }, { parallel_tool_calls: false }],
    [{ store: false }, { store: false }],
    [{ background: true }, { background: true }],
    [{ previous_response_id: "r" }, { previous_response_id: "r" }],
    [{ conversation: "c" }, { conversation: { id: "c" } }],
    [{ user: "u" }, { user: "u" }],
  ])("of a request with %j repeats %j", (fields, echo) => {
    expect(echoOf(read(fields))).toEqual({ ...noEcho, ...echo });
  });

  it("has at most 64 entries of metadata, the first ones", () => {
    const metadata = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, "v"]));
    const { metadata: kept } = echoOf(read({ metadata }));

    expect(Object.keys(kept)).toEqual(Object.keys(metadata).slice(0, 64));
  });

  it("has no usage while it is unknown", () => {
    expect(usageOf(undefined)).toBeNull();
  });
});
