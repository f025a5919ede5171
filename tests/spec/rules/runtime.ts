import { documentedRules, plannedRules, rulesOf } from "../rule.ts";

/** Rules for retry, keys, events, logging and model providers. */
export const runtimeRules = [
  ...rulesOf("RetryConfig", {
    "retry.max-retries": "a failed call is retried at most 3 times by default",
    "retry.initial-delay": "the first delay is up to 500 ms by default",
    "retry.max-delay": "no delay is longer than 10000 ms by default",
    "retry.backoff": "delays grow exponentially, with jitter",
    "retry.http-429": "an HTTP 429 is retryable",
    "retry.http-5xx": "an HTTP 5xx is retryable",
    "retry.network": "ECONNRESET and ETIMEDOUT are retryable",
    "retry.others": "other failures are not retried",
    "retry.custom": "retryableErrors replaces the default detection",
    "retry.standalone": "withRetry(fn, partialConfig) works without an agent",
  }),
  ...rulesOf("Per-request model-vendor keys", {
    "keys.vendor-header": "a vendor's own header is used when the agent uses that vendor's model",
    "keys.google-serves-vertex": "the Google key serves Vertex AI",
    "keys.generic-header": "without a vendor header, x-api-key is passed to whatever vendor the agent uses",
    "keys.body": "without a vendor header and x-api-key, the body's apiKey is used",
    "keys.several": "one request may carry keys for several vendors, and each uses its own",
    "keys.opaque": "a key is an opaque string",
    "keys.length":
      "a key may have up to 16 KB, in headers, bodies and options; a longer one is refused by the name of its place",
    "keys.override-environment": "a request's key is used instead of the environment's",
    "http.redacted-logs": "the four key headers are redacted in request logs",
  }),
  ...documentedRules("Per-request model-vendor keys", {
    "host.https": { text: "use HTTPS in production", page: "SECURITY.md#https" },
    "host.no-key-logs": { text: "do not log headers or bodies that may hold keys", page: "SECURITY.md#logging" },
    "host.rotation": { text: "keys of requests are rotated without a restart", page: "SECURITY.md#rotation" },
    "host.rate-limit": {
      text: "limit the rate per key when there are several tenants",
      page: "SECURITY.md#rate-limits",
    },
  }),
  ...plannedRules("Per-request model-vendor keys", {
    "socket.key-payload": "the key is taken from the payload first",
    "socket.key-handshake": "without a key in the payload, the handshake's auth.apiKey is used",
  }),
  ...rulesOf("Event bus", {
    "events.subscribe": "bus.on(name, handler) subscribes",
    "events.run-start": "run.start carries run id, agent name and input",
    "events.run-complete": "run.complete carries run id and output",
    "events.run-error": "run.error carries run id and error",
    "events.run-stream-chunk": "run.stream.chunk carries run id and chunk",
    "events.tool-call": "tool.call carries run id, tool name and arguments",
    "events.tool-result": "tool.result carries run id, tool name and result",
    "events.default-type": "new EventBus() has the events of runs without a type argument",
    "run.warning": "run.warning carries run id, code, message and fields; it reaches the buses of all runs above",
    "run.user-id-missing": "a forgotten userId is told in process: as a warning of runs, as an error of session calls",
    "run.warning-codes": "every code of a warning is documented",
    "run.background-warning":
      "failures of background work (facts, memory) are run.warning events, of a silent agent too",
  }),
  ...rulesOf("Errors", {
    "errors.program-message":
      "the error of a run names the step, hook, source or model that threw, and why; clients are not told",
    "errors.hidden": "clients see a general sentence in place of an exception of the program, over HTTP JSON and SSE",
    "errors.one-cause": "the cause of a run's error is the original error, however many runs and steps it came through",
    "errors.json": "an error as JSON has name, code, message, fields and run id, and no conversation",
    "errors.no-key": "neither the message nor the cause of a run's error holds an API key of the run",
  }),
  ...rulesOf("Logger", {
    "logger.levels": "a logger has the levels debug, info, warn, error and silent",
    "logger.color": "color is on when the output is a terminal",
    "logger.prefix": "a logger may have a prefix",
    "log.silent": "without a logger and a logLevel nothing is written",
    "log.run-line": "a run is one line at info: name, run id, status or code, duration, tokens; no content",
    "log.call-lines": "a model call and a tool call are one line at debug each, without content",
    "log.tool-logger": "a tool's context.logger writes where its run does, with the run's id",
    "log.option-checks": "logger beside logLevel, and a logger without the methods, are refused at construction",
    "http.logs-warnings":
      "the router logs the warnings of what it serves, once each, unless the runnable has logged them",
    "log.child-runs": "a child run logs where its parent run does unless it has a logger or a logLevel of its own",
  }),
  ...rulesOf("Model provider and model configuration", {
    "provider.contract": "a provider has ids, generate and stream",
    "model-config.sampling": "temperature, maxTokens, topP and stop reach the vendor",
    "model-config.format-text": 'responseFormat may be "text"',
    "model-config.format-json": 'responseFormat may be "json"',
    "model-config.format-schema": "responseFormat may be a JSON schema with a name",
    "model-config.api-key": "a call may carry a key",
    "model-config.reasoning": "a call may carry a reasoning configuration",
    "openai.factory": "openai(modelId, { apiKey?, baseURL? }) makes a provider",
    "openai.reasoning-effort": "effort applies to openai",
    "anthropic.factory": "anthropic(modelId, { apiKey? }) makes a provider",
    "anthropic.reasoning-budget": "budgetTokens applies to anthropic",
    "google.factory": "google(modelId, { apiKey? }) makes a provider",
    "google.reasoning-budget": "budgetTokens applies to google",
    "vertex.factory": "vertex(modelId, { project?, location?, credentials? }) makes a provider",
    "vertex.reasoning-budget": "budgetTokens applies to vertex",
    "vertex.place":
      "vertex finds what is not given: the project by its credentials or GOOGLE_CLOUD_PROJECT, the location by GOOGLE_CLOUD_LOCATION, else global",
    "provider.no-sdk": "without client, no library of a vendor is loaded",
    "ollama.factory": "ollama(modelId, { baseURL? }) makes a provider",
  }),
];
