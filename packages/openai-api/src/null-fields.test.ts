import { describe, expect, it } from "vitest";
import { teller } from "../test/agents.ts";
import { serve } from "../test/serve.ts";
import { echoOf, noEcho } from "./responses/response-object.ts";
import { readChatRequest } from "./request/chat-request.ts";
import { readResponseRequest } from "./request/response-request.ts";

const response = { model: "teller", input: "Hi" };
const chat = { model: "teller", messages: [{ role: "user", content: "Hi" }] };

/** The optional fields of a request of the Responses API, as its reference lists them. */
const ofResponses = `
  background context_management conversation include instructions max_output_tokens max_tool_calls
  metadata parallel_tool_calls previous_response_id prompt prompt_cache_key reasoning
  safety_identifier service_tier store stream stream_options temperature text tool_choice tools
  top_logprobs top_p truncation user presence_penalty frequency_penalty
`
  .trim()
  .split(/\s+/);

/** The optional fields of a request of Chat Completions, as its reference lists them. */
const ofChat = `
  audio frequency_penalty functions function_call logit_bias logprobs max_completion_tokens max_tokens
  metadata modalities n parallel_tool_calls prediction presence_penalty seed reasoning_effort
  response_format service_tier stop store stream stream_options temperature tool_choice tools
  top_logprobs top_p user web_search_options
`
  .trim()
  .split(/\s+/);

const all = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

describe("a field that is null", () => {
  it.each(ofResponses)("is the same as none in a request for a response and in its echo: %s", (name) => {
    const body = { ...response, [name]: null };
    const read = readResponseRequest(body);

    expect(read).toEqual({ ...readResponseRequest(response), body });
    expect(echoOf(read)).toEqual(noEcho);
  });

  it.each(ofChat)("is the same as none in a request of Chat Completions: %s", (name) => {
    expect(readChatRequest({ ...chat, [name]: null })).toEqual(readChatRequest(chat));
  });

  it.each([
    ["the description of a tool", { tools: [{ type: "function", name: "f", description: null }] }],
    ["the parameters of a tool", { tools: [{ type: "function", name: "f", parameters: null }] }],
    ["the format of the text", { text: { format: null } }],
  ])("is the same as none in an object of a request and of its echo: %s", (_, fields) => {
    const without = JSON.parse(JSON.stringify(fields, (__, value: unknown) => value ?? undefined)) as object;
    const { body: _sent, ...read } = readResponseRequest({ ...response, ...fields });
    const { body: _other, ...readWithout } = readResponseRequest({ ...response, ...without });

    expect(read).toEqual(readWithout);
    expect(echoOf(readResponseRequest({ ...response, ...fields }))).toEqual(
      echoOf(readResponseRequest({ ...response, ...without })),
    );
  });

  it.each([
    ["/v1/responses", response, ofResponses],
    ["/v1/chat/completions", chat, ofChat],
  ])("leaves the answer of %s as it is, each alone and all at once", async (path, body, names) => {
    const { post } = await serve({ agents: { teller: teller() } });
    const statuses: unknown[] = [];
    for (const fields of [...names.map((name) => all([name])), all(names)]) {
      const { status, text } = await post(path, { ...body, ...fields });
      statuses.push([status, text.includes('"Hi"'), fields]);
    }

    expect(statuses.filter((each) => JSON.stringify(each).startsWith("[200,true,"))).toEqual(statuses);
  });
});
