/** Answers of the mock vendor: bytes of a Chat Completions reply, made once. */

const usage = { prompt_tokens: 12, completion_tokens: 20, total_tokens: 32 };
const head = { id: "chatcmpl-1", created: 1_700_000_000, model: "mock-1" };
const words = Array.from({ length: 20 }, (_, at) => `word${at} `);

/** One whole answer of twenty words. */
export const wholeAnswer = Buffer.from(
  JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: words.join("") }, finish_reason: "stop" }],
    usage,
  }),
);

/** A whole answer that asks for a tool. */
export const toolAnswer = Buffer.from(
  JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage,
  }),
);

const chunk = (delta: object, finishReason: string | null, counted: object | null) =>
  Buffer.from(
    `data: ${JSON.stringify({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finishReason }],
      usage: counted,
    })}\n\n`,
  );

/** One piece of a streamed answer. */
export const textChunk = chunk({ content: "word " }, null, null);
/** The end of a streamed answer. */
export const lastChunks = Buffer.concat([chunk({}, "stop", usage), Buffer.from("data: [DONE]\n\n")]);
