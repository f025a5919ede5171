import { readProperty } from "../util/read-property.ts";
import { cutText } from "../util/cut-text.ts";

/**
 * The fact that a vendor rejected a request as too long, with the model's context size in tokens if the vendor reported
 * it.
 */
export type ContextExcess = { readonly limit?: number };

/** Error codes of vendors and servers for a request that exceeds the model's context. */
const codes: readonly unknown[] = ["context_length_exceeded", "exceed_context_size_error"];

/**
 * Error texts of vendors and servers for a request that exceeds the model's context. A captured number is the limit in
 * tokens.
 */
const sentences: readonly RegExp[] = [
  // Error texts of OpenAI, OpenRouter, DeepSeek and vLLM.
  /maximum context length (?:is|of) ([\d,]+)/i,
  /longer than the maximum model length of ([\d,]+)/i,
  // Error texts of vLLM and LM Studio.
  /context length (?:is|of) only ([\d,]+)/i,
  // Error texts of Mistral, xAI, Moonshot and TGI.
  /too large for model with ([\d,]+) maximum context length/i,
  /maximum prompt length is ([\d,]+)/i,
  /exceeded model token limit: ([\d,]+)/i,
  /`inputs` tokens \+ `max_new_tokens` must be <= ([\d,]+)/i,
  // Error texts of Anthropic and Bedrock.
  /prompt is too long(?:: [\d,]+ tokens > ([\d,]+))?/i,
  /exceed context limit(?:: [\d,]+ \+ [\d,]+ > ([\d,]+))?/i,
  /input is too long for requested model/i,
  // Error texts of Google.
  /input token count[^.]{0,40} exceeds the maximum number of tokens allowed \(?([\d,]+)/i,
  /input token count[^.]{0,40} but model only supports up to ([\d,]+)/i,
  // Error texts of llama.cpp, Ollama and OpenAI's Responses API.
  /exceeds? the available context size(?: \(([\d,]+))?/i,
  /length exceeds (?:the |maximum )?context length/i,
  /exceeds? the context window/i,
  /context[_ ]length[_ ]exceeded/i,
];

/** HTTP statuses of vendors that never mean a request that exceeds the model's context, whatever the error's text. */
const others: readonly unknown[] = [401, 403, 404, 429];

/**
 * Reads from an error of a vendor, or of its SDK, that the request exceeded the model's context. Returns `undefined`
 * for any other error. Only llama.cpp has a field for the limit; other vendors report it in the text.
 */
export function readContextExcess(thrown: unknown, vendorCode: string | undefined): ContextExcess | undefined {
  if (others.includes(readProperty(thrown, "status"))) return undefined;
  const told = readProperty(thrown, "message");
  const text = typeof told === "string" ? cutText(told, longestText) : "";
  const found = sentences.map((sentence) => sentence.exec(text)).find((match) => match !== null);
  if (found === undefined && !codes.includes(vendorCode)) return undefined;
  const field = readProperty(thrown, "contextLimit") ?? readProperty(readProperty(thrown, "error"), "n_ctx");
  return toExcess(field ?? found?.[1]?.replaceAll(",", ""));
}

function toExcess(told: unknown): ContextExcess {
  const limit = Number(told);
  return Number.isSafeInteger(limit) && limit > 0 ? { limit } : {};
}

/** The maximum number of characters read of a vendor's error text, because it may quote the whole request. */
const longestText = 2000;
