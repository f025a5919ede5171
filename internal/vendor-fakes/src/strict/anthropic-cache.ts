import { createHash } from "node:crypto";
import type { CacheCounts, PromptCache } from "../dialect.ts";
import { isObject, objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

/** The number of blocks, the marked one included, among which a mark finds what an earlier request has cached. */
const lookBack = 20;
const mostMarks = 4;
const unmarkable = ["thinking", "redacted_thinking"];

/** A block of a prompt: its place in the request, the hash of the prompt up to its end, and its tokens so far. */
type Position = { block: JsonObject; at: string; hash: string; tokens: number };

/**
 * Anthropic's prompt cache. A marked prefix is cached by its exact bytes, and found again by a mark at most 20 blocks
 * behind its end. A prefix below the model's minimum is neither.
 */
export class AnthropicCache implements PromptCache {
  readonly #entries = new Set<string>();

  /** Counts what a request reads from the cache and writes to it, and caches what it writes. */
  count(body: unknown): CacheCounts {
    const positions = positionsIn(objectOf(body));
    const marked = positions.flatMap(({ block }, index) => (isMarked(block) ? [index] : []));
    if (objectOf(body)["cache_control"] !== undefined) marked.push(positions.findLastIndex(isMarkable));
    const least = leastTokens(stringOrEmpty(objectOf(body)["model"]));
    const isCached = (index: number) => this.#entries.has(positions[index]?.hash ?? "");
    const found = Math.max(-1, ...marked.map((index) => findBefore(index, isCached)));
    const written = marked.filter((index) => index > found && (positions[index]?.tokens ?? 0) >= least);
    for (const index of written) this.#entries.add(positions[index]?.hash ?? "");
    const tokensAt = (index: number) => positions[index]?.tokens ?? 0;
    const read = tokensAt(found);
    return {
      prompt: tokensAt(positions.length - 1),
      read,
      write: Math.max(0, tokensAt(Math.max(-1, ...written)) - read),
    };
  }
}

function findBefore(marked: number, isCached: (index: number) => boolean): number {
  for (let index = marked; index > marked - lookBack; index -= 1) if (isCached(index)) return index;
  return -1;
}

/** The least size of a cached prefix: the larger one where sources disagree. */
function leastTokens(modelId: string): number {
  if (/claude-(?:opus-4-[5-8]|haiku-4-5)/.test(modelId)) return 4096;
  return modelId.includes("claude-sonnet-4-6") ? 2048 : 1024;
}

/** Checks the marks: their number, where they stand, and that longer times stand before shorter ones. */
export function* cacheChecks(body: JsonObject): Checks {
  const marked = positionsIn(body).filter(({ block }) => isMarked(block));
  const nested = marked.reduce((count, { block }) => count + objectsIn(block["content"]).filter(isMarked).length, 0);
  const count = marked.length + nested + (body["cache_control"] === undefined ? 0 : 1);
  const problem = `A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${count}.`;
  yield refuseIf(count > mostMarks, problem, "cache_control");
  let isShort = false;
  for (const { block, at } of marked) {
    const { type, ttl = "5m" } = objectOf(block["cache_control"]);
    const where = `${at}.cache_control`;
    const isEmpty = block["type"] === "text" && stringOrEmpty(block["text"]) === "";
    yield refuseIf(
      unmarkable.includes(stringOrEmpty(block["type"])),
      `${where}: Extra inputs are not permitted`,
      where,
    );
    yield refuseIf(isEmpty, `${at}: cache_control cannot be set for empty text blocks`, where);
    yield refuseIf(type !== "ephemeral", `${where}.type: Input should be 'ephemeral'`, where);
    yield refuseIf(ttl !== "5m" && ttl !== "1h", `${where}.ttl: Input should be '5m' or '1h'`, where);
    yield refuseIf(
      isShort && ttl === "1h",
      `${where}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.`,
      where,
    );
    isShort ||= ttl === "5m";
  }
}

/** Returns the blocks of a prompt in its order: tools, system, messages. */
function positionsIn(body: JsonObject): Position[] {
  const { model, tools, system, speed, messages, tool_choice: choice, thinking } = body;
  const positions: Position[] = [];
  let [hash, bytes] = [hashOf("", { model }), 0];
  const add = (block: JsonObject, at: string, role?: unknown): void => {
    const text = JSON.stringify({ role, ...block }, withoutMarks);
    hash = hashOf(hash, text);
    bytes += text.length;
    positions.push({ block, at, hash, tokens: Math.ceil(bytes / 4) });
  };
  for (const [index, tool] of objectsIn(tools).entries()) add(tool, `tools.${index}`);
  // A change of these invalidates only what follows.
  hash = hashOf(hash, { speed });
  for (const [index, block] of blocksOf(system).entries()) add(block, `system.${index}`);
  hash = hashOf(hash, {
    choice,
    thinking: objectOf(thinking)["type"],
    images: JSON.stringify(messages)?.includes('"image"'),
  });
  for (const [index, { role, content }] of objectsIn(messages).entries())
    for (const [place, block] of blocksOf(content).entries()) add(block, `messages.${index}.content.${place}`, role);
  return positions;
}

function withoutMarks(key: string, value: unknown): unknown {
  return key === "cache_control" ? undefined : value;
}

function hashOf(before: string, value: unknown): string {
  return createHash("sha256")
    .update(`${before}${JSON.stringify(value)}`)
    .digest("base64url");
}

function blocksOf(content: unknown): readonly JsonObject[] {
  const text = stringOf(content);
  return text === undefined ? objectsIn(content) : [{ type: "text", text }];
}

function isMarked({ cache_control: mark }: JsonObject): boolean {
  return isObject(mark);
}

function isMarkable({ block: { type, text } }: Position): boolean {
  return !unmarkable.includes(stringOrEmpty(type)) && text !== "";
}
