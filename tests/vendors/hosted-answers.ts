import type { ModelProvider, Source } from "@troupe/core";
import { connect } from "./vendors.ts";

/** Writes events as they are sent in a stream. */
export function sse(events: readonly object[]): string[] {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
}

/** An answer for which the vendor searched the web and executed code. */
type HostedAnswer = {
  model: (url: string) => ModelProvider;
  events: object[];
  /** The same answer as a whole, for vendors that are asked for one. */
  whole?: object;
  text: string;
  sources: Partial<Source>[];
  /** Parts that the second request holds, in this order. */
  sentBack: string[];
};

const yr = { url: "https://yr.no/oslo", title: "Oslo" };
const met = { url: "https://met.no/", title: "Met" };

const block = (index: number, content: object, ...deltas: object[]): object[] => [
  { type: "content_block_start", index, content_block: content },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const citation = { type: "web_search_result_location", ...yr, cited_text: "Rain", encrypted_index: "sealed-cite" };

const anthropic: HostedAnswer = {
  model: (url) => connect.anthropic(url, { apiKey: "sk-1" }),
  events: [
    { type: "message_start", message: { id: "m", model: "c", usage: { input_tokens: 10, output_tokens: 1 } } },
    ...block(
      0,
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      { type: "input_json_delta", partial_json: '{"query":"Oslo' },
      { type: "input_json_delta", partial_json: ' weather"}' },
    ),
    ...block(1, {
      type: "web_search_tool_result",
      tool_use_id: "srvtoolu_1",
      content: [yr, met].map((page) => ({
        type: "web_search_result",
        ...page,
        encrypted_content: "sealed-page",
        page_age: null,
      })),
    }),
    ...block(2, { type: "server_tool_use", id: "srvtoolu_2", name: "code_execution", input: { code: "1 + 1" } }),
    ...block(3, {
      type: "code_execution_tool_result",
      tool_use_id: "srvtoolu_2",
      content: { type: "encrypted_code_execution_result", encrypted_stdout: "sealed-out", return_code: 0 },
    }),
    ...block(
      4,
      { type: "text", text: "", citations: [] },
      { type: "text_delta", text: "It rains." },
      { type: "citations_delta", citation },
    ),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ],
  text: "It rains.",
  sources: [{ ...yr, toolCallId: "srvtoolu_1" }, met],
  sentBack: ['"query":"Oslo weather"', "sealed-page", "1 + 1", "sealed-out", "It rains.", "sealed-cite", "Sure?"],
};

/** Puts the deltas of an Anthropic answer into its blocks. */
const anthropicWhole = {
  type: "message",
  id: "m",
  model: "c",
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 5 },
  content: [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "Oslo weather" } },
    ...anthropic.events.flatMap((event) => {
      const { content_block: content } = event as { content_block?: { type: string; id?: string } };
      return content === undefined || content.id === "srvtoolu_1" || content.type === "text" ? [] : [content];
    }),
    { type: "text", text: "It rains.", citations: [citation] },
  ],
};

const output = [
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed-thought" },
  {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "Oslo weather", sources: [{ type: "url", url: met.url }] },
  },
  {
    type: "code_interpreter_call",
    id: "ci_1",
    status: "completed",
    code: "1 + 1",
    container_id: "cntr_1",
    outputs: [{ type: "logs", logs: "2" }],
  },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [
      {
        type: "output_text",
        text: "It rains.",
        annotations: [{ type: "url_citation", ...yr, start_index: 0, end_index: 9 }, null],
      },
    ],
  },
];
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const whole = { id: "resp_1", status: "completed", output, usage };

const openai: HostedAnswer = {
  model: (url) => connect.openai(url, { apiKey: "sk-1" }),
  events: [
    ...output.flatMap((item, index) => [
      { type: "response.output_item.added", output_index: index, item: { ...item, content: [] } },
      { type: "response.web_search_call.searching", output_index: index, item_id: item.id },
      { type: "response.output_text.annotation.added", output_index: index, annotation: null },
      { type: "response.output_item.done", output_index: index, item },
    ]),
    { type: "response.completed", response: whole },
  ],
  whole,
  text: "It rains.",
  sources: [{ url: met.url, toolCallId: "ws_1" }, yr],
  sentBack: ["sealed-thought", "ws_1", "ci_1", "1 + 1", "msg_1", "Sure?"],
};

const groundingMetadata = {
  webSearchQueries: ["Oslo weather"],
  groundingChunks: [
    { web: { uri: yr.url, title: yr.title } },
    { web: null },
    { retrievedContext: { uri: met.url, title: met.title } },
  ],
};
const parts = [
  { executableCode: { language: "PYTHON", code: "1 + 1" }, thoughtSignature: "sealed-sign" },
  { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
  { text: "It rains." },
];
const candidate = (given: object[], more: object = {}): object => ({
  candidates: [{ index: 0, content: { role: "model", parts: given }, ...more }],
});

const gemini: HostedAnswer = {
  model: (url) => connect.google(url, { apiKey: "key-1" }),
  events: [
    ...parts.map((part) => candidate([part])),
    candidate([], { groundingMetadata }),
    candidate([{ text: "" }], { groundingMetadata, finishReason: "STOP" }),
  ],
  whole: candidate(parts, { groundingMetadata, finishReason: "STOP" }),
  text: "It rains.",
  sources: [yr, met],
  sentBack: ["1 + 1", "sealed-sign", "OUTCOME_OK", "It rains.", "Sure?"],
};

/** The answers, by vendor. */
export const hostedAnswers: Readonly<Record<string, HostedAnswer>> = {
  Anthropic: { ...anthropic, whole: anthropicWhole },
  OpenAI: openai,
  Gemini: gemini,
};
