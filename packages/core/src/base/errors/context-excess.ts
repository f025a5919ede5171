import { readProperty } from "../util/read-property.ts";
import { cutText } from "../util/cut-text.ts";

/** The length of a request that a vendor refused, with the tokens that the context of its model has where the vendor told them. */
export type ContextExcess = { readonly limit?: number };

/** Codes of vendors and servers. */
const codes: readonly unknown[] = ["context_length_exceeded", "exceed_context_size_error"];

/** Words of vendors and servers for it. The number in a group is the limit. */
const sentences: readonly RegExp[] = [
  // OpenAI, OpenRouter, DeepSeek, vLLM.
  /maximum context length (?:is|of) ([\d,]+)/i,
  /longer than the maximum model length of ([\d,]+)/i,
  // vLLM, LM Studio.
  /context length (?:is|of) only ([\d,]+)/i,
  // Mistral, xAI, Moonshot, TGI.
  /too large for model with ([\d,]+) maximum context length/i,
  /maximum prompt length is ([\d,]+)/i,
  /exceeded model token limit: ([\d,]+)/i,
  /`inputs` tokens \+ `max_new_tokens` must be <= ([\d,]+)/i,
  // Anthropic, and Bedrock.
  /prompt is too long(?:: [\d,]+ tokens > ([\d,]+))?/i,
  /exceed context limit(?:: [\d,]+ \+ [\d,]+ > ([\d,]+))?/i,
  /input is too long for requested model/i,
  // Google.
  /input token count[^.]{0,40} exceeds the maximum number of tokens allowed \(?([\d,]+)/i,
  /input token count[^.]{0,40} but model only supports up to ([\d,]+)/i,
  // llama.cpp, Ollama, and OpenAI's Responses.
  /exceeds? the available context size(?: \(([\d,]+))?/i,
  /length exceeds (?:the |maximum )?context length/i,
  /exceeds? the context window/i,
  /context[_ ]length[_ ]exceeded/i,
];

/** Statuses that say something else, whatever the words are. */
const others: readonly unknown[] = [401, 403, 404, 429];

/**
 * Reads from an error of a vendor, or of its SDK, that the request was longer than the context of the model. Returns
 * `undefined` for any other error. No vendor has a field for the limit alone, but for llama.cpp.
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

/** The beginning of a vendor's text that is read: it may quote the whole request. */
const longestText = 2000;
