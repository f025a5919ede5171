import { as, get, post, send } from "./entry.ts";
import type { Entry } from "./entry.ts";

const chat = (model: string, text: string, more: object = {}) => {
  return { model, messages: [{ role: "user", content: text }], ...more };
};
const ask = (model: string, input: string, more: object = {}) => ({ model, input, ...more });
const completions = "/v1/chat/completions";
const responses = "/v1/responses";
const weather = { type: "function", name: "get_time", parameters: { type: "object", properties: {} } };

/** Chat Completions and Responses, whole and as streams. */
export const openAiEntries: readonly Entry[] = [
  { title: "openai: models", request: get("/v1/models", as("ada")) },
  { title: "openai: a model", request: get("/v1/models/helper", as("ada")) },
  { title: "openai: an unknown model", request: get("/v1/models/nobody", as("ada")) },
  { title: "openai: a completion", request: post(completions, chat("helper", "Hello"), as("ada")) },
  { title: "openai: a stream", request: post(completions, chat("helper", "weather", { stream: true }), as("ada")) },
  { title: "openai: structured output", request: post(completions, chat("typed", "Who?"), as("ada")) },
  { title: "openai: a failure", request: post(completions, chat("failing", "Hi"), as("ada")) },
  { title: "openai: two answers", request: post(completions, chat("helper", "Hi", { n: 2 }), as("ada")) },
  { title: "openai: no body", request: post(completions, "", as("ada")) },
  { title: "openai: GET", request: get(completions, as("ada")) },
  { title: "openai: a response", request: post(responses, ask("helper", "Hello"), as("ada")) },
  {
    title: "openai: a response stream",
    request: post(responses, ask("helper", "weather", { stream: true }), as("ada")),
  },
  { title: "openai: a durable agent", request: post(responses, ask("writer", "Hi", { stream: true }), as("ada")) },
  { title: "openai: a workflow", request: post(responses, ask("counter", "Hi"), as("ada")) },
  { title: "openai: a client's tool", request: post(responses, ask("helper", "Hi", { tools: [weather] }), as("ada")) },
  {
    title: "openai: the response again",
    request: (seen) => get(`${responses}/${seen.match("openai: a response", /"id":"(resp_[^"]+)"/)}`, as("ada")),
  },
  {
    title: "openai: its input",
    request: (seen) =>
      get(`${responses}/${seen.match("openai: a response", /"id":"(resp_[^"]+)"/)}/input_items`, as("ada")),
  },
  {
    title: "openai: another user's response",
    request: (seen) => get(`${responses}/${seen.match("openai: a response", /"id":"(resp_[^"]+)"/)}`, as("bob")),
  },
  {
    title: "openai: an unknown previous response",
    request: post(responses, ask("helper", "Hi", { previous_response_id: "resp_x" }), as("ada")),
  },
  { title: "openai: compaction", request: post(`${responses}/compact`, ask("helper", "Hi"), as("ada")) },
  {
    title: "openai: a response is deleted",
    request: (seen) =>
      send(`DELETE ${responses}/${seen.match("openai: a response", /"id":"(resp_[^"]+)"/)}`, as("ada")),
  },
];
