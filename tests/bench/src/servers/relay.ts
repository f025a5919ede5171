/** The work that every baseline does by hand: converts our request to the vendor's, and the vendor's answer to ours. */

type VendorCall = { id: string; type: "function"; function: { name: string; arguments: string } };

/** The fields of a vendor's answer that are read. */
export type VendorAnswer = {
  choices: [{ message: { role: "assistant"; content: string; tool_calls?: VendorCall[] } }];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
};

/** Returns the vendor's request for one input. */
export function toVendorRequest(input: string, stream: boolean) {
  return {
    model: "mock-1",
    messages: [{ role: "user" as const, content: input }],
    ...(stream && { stream: true as const, stream_options: { include_usage: true } }),
  };
}

/** Returns the vendor's request for one input with a tool. The second one holds the results of the first one's calls. */
export function toToolRequest(input: string, first?: VendorAnswer) {
  const asked = first?.choices[0].message;
  const results = (asked?.tool_calls ?? []).map((call) => {
    return { role: "tool" as const, tool_call_id: call.id, content: weatherOf(call.function.arguments) };
  });
  const question = { role: "user" as const, content: input };
  return {
    model: "mock-1",
    messages: asked === undefined ? [question] : [question, asked, ...results],
    tools: [weather],
  };
}

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = {
  type: "function" as const,
  function: { name: "weather", description: "The weather of a city.", parameters },
};

function weatherOf(args: string): string {
  const { city } = JSON.parse(args) as { city: string };
  return `Rain in ${city}.`;
}

/** Converts the vendor's answer to ours. */
export function toOutput(answer: VendorAnswer) {
  const { prompt_tokens, completion_tokens, total_tokens } = answer.usage;
  return {
    text: answer.choices[0].message.content,
    toolCalls: [],
    usage: { promptTokens: prompt_tokens, completionTokens: completion_tokens, totalTokens: total_tokens },
    structured: null,
  };
}

/** Converts one piece of the vendor's stream to our frames. A cut line is kept for the next piece. */
export class FrameRelay {
  #rest = "";

  next(bytes: Uint8Array): string {
    const lines = (this.#rest + Buffer.from(bytes).toString("utf8")).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map(toFrame).join("");
  }
}

type VendorChunk = { choices: { delta: { content?: string }; finish_reason: string | null }[] };

function toFrame(line: string): string {
  if (!line.startsWith("data: {")) return "";
  const choice = (JSON.parse(line.slice("data: ".length)) as VendorChunk).choices[0];
  if (choice === undefined) return "";
  const { delta, finish_reason: finishReason } = choice;
  if (finishReason !== null) return `data: ${JSON.stringify({ type: "finish", finishReason })}\n\n`;
  return `data: ${JSON.stringify({ type: "text", text: delta.content ?? "" })}\n\n`;
}
