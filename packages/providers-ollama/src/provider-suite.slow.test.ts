import { providerSuite, throughClients } from "@troupe-internal/vendor-fakes";
import type { ClientSettings, ProviderSubject } from "@troupe-internal/vendor-fakes";
import { Ollama } from "ollama";
import { describe, it } from "vitest";
import { ollama } from "./index.ts";

const usage = { promptTokens: 26, completionTokens: 40, totalTokens: 66 };
const finish = (finishReason: string) => ({ type: "finish", finishReason, usage });
const call = (id: string, name: string, argumentsDelta: string) => [
  { type: "tool_call_start", toolCall: { id, name } },
  { type: "tool_call_delta", toolCallId: id, argumentsDelta },
  { type: "tool_call_end", toolCallId: id },
];

const subject: ProviderSubject = {
  connect: (baseURL, { modelId = "qwen3:8b", idleTimeoutMs, ...options }) =>
    ollama(modelId, {
      baseURL,
      ...options,
      ...(idleTimeoutMs !== undefined && { idleTimeoutMs, timeoutMs: idleTimeoutMs }),
    }),
  models: ["qwen3:8b"],
  // The environment's key is for ollama.com alone.
  keyVariables: [],
  untaken: { reasoning: { enabled: true, budgetTokens: 1 } },
  secrets: /vendorState/,
  eventPrefix: "",
  agentRequests: { withoutTools: /^(?!.*"tools":)/, repaired: /"format":\{/ },
  truncated: { transcript: "ollama-truncated.ndjson" },
  transcriptPattern: /^ollama/,
  transcripts: {
    "ollama-text.ndjson": {
      chunks: [{ type: "text", text: "Hello" }, { type: "text", text: " there" }, finish("stop")],
      details: {
        usage: {
          providerMetrics: {
            total_duration: 1_200_000_000,
            load_duration: 90_000_000,
            prompt_eval_count: 26,
            prompt_eval_duration: 130_000_000,
            eval_count: 40,
            eval_duration: 900_000_000,
          },
        },
      },
    },
    "ollama-thinking-tool.ndjson": {
      chunks: [
        { type: "thinking", text: "Need the " },
        { type: "thinking", text: "weather." },
        ...call("call_x1", "get_weather", '{"city":"Paris"}'),
        // The server gave it no id.
        ...call("own-1", "get_weather", '{"city":"Oslo"}'),
        finish("tool_calls"),
      ],
      details: {
        model: "qwen3:8b",
        vendorState: { providerId: "ollama", modelId: "qwen3:8b", items: { thinking: "Need the weather." } },
      },
    },
    "ollama-error.ndjson": {
      chunks: [{ type: "text", text: "Hel" }],
      error: {
        name: "ModelError",
        code: "model_failed",
        status: 500,
        message: "ollama answered with an error.",
      },
    },
    "ollama-truncated.ndjson": {
      chunks: [{ type: "text", text: "Hel" }],
      error: { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" },
    },
  },
  failures: {
    "a line of null": {
      reply: { raw: { status: 200, headers: {}, frames: ["null\n"] } },
      error: { code: "model_failed", status: undefined, networkCode: "ECONNRESET" },
    },
  },
  knownGaps: {
    "gives a whole answer more time to begin than a stream may pause":
      "the server may load the model before either, so that timeoutMs is for both",
    "reports truncated arguments and does not guess the rest":
      "the server sends the arguments of a call as an object, whole or not at all",
    "reports usage with its parts": "the server counts what it reads and writes, and no parts of it",
    "finishes a withheld answer with content_filter": "the server withholds nothing",
  },
};

describe("a model that Ollama runs", () => {
  providerSuite(it, subject);
});

const clientOf = ({ url: host, apiKey, fetch }: ClientSettings) => {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return new Ollama({ host, headers, ...(fetch && { fetch }) });
};

const silentStart =
  "the library takes no signal: the call ends at once, and the server's work only when it begins to answer";

describe("a model that Ollama runs, through the caller's client", () => {
  providerSuite(
    it,
    throughClients(
      { ...subject, withoutErrorHeaders: true },
      {
        model: (client, { modelId, idleTimeoutMs, ...options }) =>
          ollama(modelId, {
            client: clientOf(client),
            ...options,
            ...(idleTimeoutMs !== undefined && { idleTimeoutMs, timeoutMs: idleTimeoutMs }),
          }),
        knownGaps: {
          "reports a rate limit with the vendor's retry-after time": "the library gives no headers of a failure",
          "ends a stream that waits for its first byte when the signal aborts": silentStart,
          "ends a pending generate call when the signal aborts": silentStart,
          "reports a timeout when the signal aborts with a TimeoutError": silentStart,
          "ends a call and its socket when its signal aborts, wherever its answer is": silentStart,
          "reports each failure in its vendor's own format, streamed and whole":
            "the library takes a line of null for an object, and throws an error of the program",
          "fails on every recorded answer whose connection goes silent": silentStart,
          "writes nothing to the console, whatever comes": "the library prints when a failure is not JSON",
        },
      },
    ),
  );
});
