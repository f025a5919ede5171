import { rulesOf } from "../rule.ts";

/** The shapes that every interface carries. */
export const dataRules = rulesOf("@troupe/core", {
  "message.roles": {
    text: "a message is spoken by system, user, assistant or tool",
    test: "packages/core/src/message/message.test.ts",
  },
  "message.content": {
    text: "content is a string or a list of parts, or null",
    test: "packages/core/src/message/message.test.ts",
  },
  "message.fields": {
    text: "a message may carry tool calls, the id of the call it answers, and a name",
    test: "packages/core/src/message/message.test.ts",
  },
  "content.text": { text: "a text part holds text", test: "packages/core/src/message/content.test.ts" },
  "content.image": {
    text: "an image part holds data and may name its mime type",
    test: "packages/core/src/message/message.test.ts",
  },
  "content.audio": {
    text: "an audio part holds data and may name its mime type",
    test: "packages/core/src/message/message.test.ts",
  },
  "content.file": {
    text: "a file part holds data, names its mime type and may name the file",
    test: "packages/core/src/message/message.test.ts",
  },
  "content.get-text": {
    text: "getTextContent returns the text of any content",
    test: "packages/core/src/message/content.test.ts",
  },
  "content.is-multi-modal": {
    text: "isMultiModal is true for a list of parts",
    test: "packages/core/src/message/content.test.ts",
  },
  "usage.totals": {
    text: "usage holds prompt, completion and total tokens",
    test: "packages/core/src/message/token-usage.test.ts",
  },
  "usage.optional": {
    text: "usage may hold reasoning, cached and audio tokens",
    test: "packages/core/src/message/token-usage.test.ts",
  },
  "usage.provider-metrics": {
    text: "providerMetrics is the vendor's usage object, unmodified",
    test: "packages/core/src/message/token-usage.test.ts",
  },
  "chunk.text": { text: "a text chunk carries text", test: "packages/core/src/model/response-collector.test.ts" },
  "chunk.thinking": {
    text: "a thinking chunk carries text",
    test: "packages/core/src/model/response-collector.test.ts",
  },
  "chunk.tool-call-start": {
    text: "a started call carries its id and name",
    test: "packages/core/src/model/response-collector.test.ts",
  },
  "chunk.tool-call-delta": {
    text: "a delta carries the call's id and a piece of its arguments",
    test: "packages/core/src/model/response-collector.test.ts",
  },
  "chunk.tool-call-end": {
    text: "an ended call carries its id",
    test: "packages/core/src/model/response-collector.test.ts",
  },
  "chunk.finish": {
    text: "the last chunk carries the reason and may carry usage",
    test: "packages/core/src/model/response-collector.test.ts",
  },
  "chunk.tool-order": {
    text: "a call is started, then its arguments come, then it ends",
    test: "packages/core/src/agent/agent.bad-model.test.ts",
  },
  "output.required": {
    text: "a run's output has text, tool calls and usage",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "output.structured-null": {
    text: "structured is null when structured output is not used",
    test: "packages/core/src/run/to-public-output.test.ts",
  },
  "output.thinking": {
    text: "the output carries the model's thinking when there was any",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "output.timings": {
    text: "the output carries its duration and the time to the first token",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "output.identity": {
    text: "the output names run, agent, session and user",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "output.model": {
    text: "the output names model and vendor, and the vendor's id of the response",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "output.status": {
    text: "the output's status is completed or error",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "output.created-at": {
    text: "the output says when it was created",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "output.messages": {
    text: "the output holds the messages of the run",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "output.metrics": {
    text: "metrics hold input, output and total tokens, and the timings",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
});
