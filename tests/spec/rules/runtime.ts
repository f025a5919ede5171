import { rulesOf } from "../rule.ts";

/** What agents stand on: retry, keys, events, logging, storage, vectors. */
export const runtimeRules = rulesOf("@troupe/core", {
  "retry.max-retries": {
    text: "a failed call is repeated at most 3 times by default",
    test: "packages/core/src/retry/with-retry.test.ts",
  },
  "retry.initial-delay": {
    text: "the first delay is up to 500 ms by default",
    test: "packages/core/src/retry/with-retry.test.ts",
  },
  "retry.max-delay": {
    text: "no delay is longer than 10000 ms by default",
    test: "packages/core/src/retry/with-retry.test.ts",
  },
  "retry.backoff": {
    text: "delays grow exponentially, with jitter",
    test: "packages/core/src/retry/backoff-delay.test.ts",
  },
  "retry.http-429": { text: "an HTTP 429 is retryable", test: "packages/core/src/retry/is-retryable.test.ts" },
  "retry.http-5xx": { text: "an HTTP 5xx is retryable", test: "packages/core/src/retry/is-retryable.test.ts" },
  "retry.network": {
    text: "ECONNRESET and ETIMEDOUT are retryable",
    test: "packages/core/src/retry/is-retryable.test.ts",
  },
  "retry.others": { text: "other failures are not repeated", test: "packages/core/src/retry/is-retryable.test.ts" },
  "retry.custom": {
    text: "retryableErrors replaces the default detection",
    test: "packages/core/src/retry/with-retry.test.ts",
  },
  "retry.standalone": {
    text: "withRetry(fn, partialConfig) works by itself",
    test: "packages/core/src/retry/with-retry.test.ts",
  },
  "keys.vendor-header": {
    text: "a vendor's own header is used when the agent uses that vendor's model",
    test: "packages/core/src/keys/select-key.test.ts",
  },
  "keys.google-serves-vertex": {
    text: "the google key serves the cloud-platform variant",
    test: "packages/core/src/keys/select-key.test.ts",
  },
  "keys.generic-header": {
    text: "without a vendor header, x-api-key is passed to whatever vendor the agent uses",
    test: "packages/core/src/keys/select-key.test.ts",
  },
  "keys.body": {
    text: "without either, the body's apiKey is used",
    test: "packages/core/src/keys/read-key-headers.test.ts",
  },
  "keys.several": {
    text: "one request may carry keys for several vendors, and each uses its own",
    test: "packages/core/src/keys/read-key-headers.test.ts",
  },
  "keys.opaque": { text: "a key is an opaque string", test: "packages/core/src/keys/api-keys.test.ts" },
  "keys.override-environment": {
    text: "a key of the request is used instead of the environment's",
    test: "packages/core/src/keys/resolve-key.test.ts",
  },
  "events.subscribe": { text: "bus.on(name, handler) subscribes", test: "packages/core/src/events/event-bus.test.ts" },
  "events.run-start": {
    text: "run.start carries run id, agent name and input",
    test: "packages/core/src/agent/agent.events.test.ts",
  },
  "events.run-complete": {
    text: "run.complete carries run id and output",
    test: "packages/core/src/agent/agent.events.test.ts",
  },
  "events.run-error": {
    text: "run.error carries run id and error",
    test: "packages/core/src/agent/agent.events.test.ts",
  },
  "events.run-stream-chunk": {
    text: "run.stream.chunk carries run id and chunk",
    test: "packages/core/src/agent/agent.events.test.ts",
  },
  "events.tool-call": {
    text: "tool.call carries run id, tool name and arguments",
    test: "packages/core/src/agent/agent.events.test.ts",
  },
  "events.tool-result": {
    text: "tool.result carries run id, tool name and result",
    test: "packages/core/src/agent/agent.events.test.ts",
  },
  "logger.levels": {
    text: "a logger has the levels debug, info, warn, error and silent",
    test: "packages/core/src/log/logger.test.ts",
  },
  "logger.color": { text: "colour is on when the output is a terminal", test: "packages/core/src/log/logger.test.ts" },
  "logger.prefix": { text: "a logger may have a prefix", test: "packages/core/src/log/logger.test.ts" },
  "storage.get": { text: "get returns a value, or null", test: "packages/core/src/storage/in-memory-storage.test.ts" },
  "storage.set": {
    text: "set stores a value under namespace and key",
    test: "packages/core/src/storage/in-memory-storage.test.ts",
  },
  "storage.delete": { text: "delete removes a key", test: "packages/core/src/storage/in-memory-storage.test.ts" },
  "storage.list": {
    text: "list returns keys and values, of one prefix when asked",
    test: "packages/core/src/storage/in-memory-storage.test.ts",
  },
  "storage.close": { text: "close releases the driver", test: "packages/core/src/storage/in-memory-storage.test.ts" },
  "storage.in-memory": {
    text: "an in-memory driver takes no argument",
    test: "packages/core/src/storage/in-memory-storage.test.ts",
  },
  "vector.upsert": {
    text: "upsert stores a document, replacing one of the same id",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "vector.search": {
    text: "search returns documents with their scores",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "vector.top-k": {
    text: "topK bounds the results",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "vector.min-score": {
    text: "minScore leaves out weaker results",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "vector.filter": {
    text: "filter keeps documents by their metadata",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "vector.get": {
    text: "get returns a document, or null",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "vector.delete": {
    text: "delete removes a document",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "vector.clear": {
    text: "clear removes all documents",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "vector.close": { text: "close releases the store", test: "packages/core/src/vector/in-memory-vector-store.test.ts" },
  "vector.in-memory": {
    text: "an in-memory vector store exists",
    test: "packages/core/src/vector/in-memory-vector-store.test.ts",
  },
  "embedding.embed": {
    text: "embed returns the vector of a text",
    test: "packages/core/src/testing/fake-embeddings.test.ts",
  },
  "embedding.batch": {
    text: "embedBatch returns a vector per text",
    test: "packages/core/src/testing/fake-embeddings.test.ts",
  },
  "schema.parameters": {
    text: "a tool's parameters are an object schema",
    test: "packages/core/src/schema/compile-schema.test.ts",
  },
  "schema.structured": {
    text: "structuredOutput is a schema object",
    test: "packages/core/src/schema/compile-schema.test.ts",
  },
});
