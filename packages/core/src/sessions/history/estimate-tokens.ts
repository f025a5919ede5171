import type { ContentPart } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { storedDataReferenceOf } from "../../base/message/stored-data.ts";

/** Number of tokens that vendors add to each message, and to each tool call. */
const perMessage = 4;
const perToolCall = 10;

/** Tokens for an image at the size to which vendors scale it, a minute of audio, and a document of two pages. */
const perPart = { image: 1500, audio: 2000, file: 4000 } as const;

/** The maximum weight of a character that `characterWeight` returns, in hundredths of a token. */
export const heaviestCharacter = 150;

/** Matches MIME types of files that are sent to vendors as text. */
const textual = /^text\/|[/+](?:json|xml|yaml|csv)\b/;

/**
 * Estimates the tokens of messages, to keep a history within limits; not for billing. Text is weighed by its
 * characters, and a text file by its size. Images, audio, other files and files by web address have a fixed estimate
 * each. A message with stored vendor state counts by the length of that state instead.
 */
export function estimateTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/**
 * Estimates the tokens of a string, by a weight for each character.
 *
 * Measured against the vocabulary of current OpenAI models (`o200k_base`). Prose in Latin script, source code, Markdown
 * and JSON are estimated 20 % too low to 30 % too high. Chinese, Japanese and Korean are 30 % too high; Cyrillic,
 * Greek, Arabic and Hebrew 15 to 60 %. Indic scripts, Thai and Georgian are two to three times too high. Random strings
 * (keys, hashes, base64) are 30 to 40 % too low. Ethiopic and other scripts that vocabularies neglect are half too low.
 */
export function estimateTextTokens(text: string): number {
  let hundredths = 0;
  for (let index = 0; index < text.length; index++) hundredths += characterWeight(text.charCodeAt(index));
  return Math.ceil(hundredths / 100);
}

/** A message with its stored vendor state, if there is any. */
type WeighedMessage = ChatMessage & { vendorState?: { stored?: true; items: unknown } };

function messageTokens({ content, toolCalls = [], vendorState }: WeighedMessage): number {
  // The items of a vendor's search hold the pages that it found. About four characters of JSON are a token.
  if (vendorState?.stored === true) return perMessage + Math.ceil(JSON.stringify(vendorState.items).length / 4);
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : (content ?? []);
  const inParts = parts.reduce((sum, part) => sum + partTokens(part), perMessage);
  return toolCalls.reduce((sum, call) => {
    return sum + perToolCall + estimateTextTokens(call.name) + estimateTextTokens(JSON.stringify(call.arguments));
  }, inParts);
}

function partTokens(part: ContentPart): number {
  if (part.type === "text") return estimateTextTokens(part.text);
  const stored = storedDataReferenceOf(part);
  if (stored !== undefined) {
    return part.type === "file" && textual.test(part.mimeType) ? Math.ceil(stored.bytes / 3) : perPart[part.type];
  }
  if (part.type === "file" && textual.test(part.mimeType) && !/^https?:/i.test(part.data)) {
    // Base64 has four characters for three bytes, and three bytes are about a token.
    return Math.ceil(part.data.length / 4);
  }
  return perPart[part.type];
}

/**
 * Returns the weight of a UTF-16 code unit in `estimateTextTokens`, in hundredths of a token. A token covers most of a
 * word, but only few digits, signs, or letters of other scripts.
 */
export function characterWeight(code: number): number {
  if (code < 0x80) return weightOfAscii(code);
  if (code < 0x250) return 60;
  if (code < 0x700) return 50;
  // Half of a surrogate pair has the greatest weight: an emoji is two or three tokens.
  return code >= 0xd800 && code < 0xe000 ? heaviestCharacter : 100;
}

function weightOfAscii(code: number): number {
  if (code >= 97 && code <= 122) return 24;
  if (code <= 32) return 18;
  const isDigitOrCapital = (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
  return isDigitOrCapital ? 50 : 65;
}
