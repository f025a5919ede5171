import { rulesOf } from "../rule.ts";

/** Rules for the data that every interface carries. */
export const resourceRules = [
  ...rulesOf("Messages", {
    "message.roles": "a message has the role system, user, assistant or tool",
    "message.content": "content is a string, an array of parts, or null",
    "message.fields": "a message may carry tool calls, the id of the call it answers, and a name",
    "content.text": "a text part holds text",
    "content.image": "an image part holds data and may name its mime type",
    "content.audio": "an audio part holds data and may name its mime type",
    "content.file": "a file part holds data, names its mime type and may name the file",
    "content.get-text": "getTextContent returns the text of any content",
    "content.is-multi-modal": "isMultiModal is true for an array of parts",
  }),
  ...rulesOf("TokenUsage", {
    "usage.totals": "usage holds prompt, completion and total tokens",
    "usage.optional": "usage may hold reasoning, cached and audio tokens",
    "usage.provider-metrics": "providerMetrics is the vendor's usage object, unmodified",
  }),
  ...rulesOf("StreamChunk", {
    "chunk.text": "a text chunk carries text",
    "chunk.thinking": "a thinking chunk carries text",
    "chunk.tool-call-start": "a started call carries its id and name",
    "chunk.tool-call-delta": "a delta carries the call's id and a piece of its arguments",
    "chunk.tool-call-end": "an ended call carries its id",
    "chunk.finish": "the last chunk carries the reason and may carry usage",
    "chunk.tool-order": "a call is started, then its arguments come, then it ends",
  }),
  ...rulesOf("RunOutput", {
    "output.required": "a run's output has text, tool calls and usage",
    "output.structured-null": "structured is null when structured output is not used",
    "output.thinking": "the output carries the model's thinking when there was any",
    "output.timings": "the output carries its duration and the time to the first token",
    "output.duration-decimals": "durations are milliseconds to three decimals, wherever they go out",
    "output.identity": "the output names run, agent, session and user",
    "output.model": "the output names model and vendor, and the vendor's id of the response",
    "output.status": "the output's status is completed or error",
    "output.created-at": "the output says when it was created",
    "output.messages": "the output holds the messages of the run",
  }),
  ...rulesOf("RunMetrics", {
    "output.metrics": "metrics hold input, output and total tokens, and the timings",
  }),
];
