import { createHash } from "node:crypto";
import type { CacheCounts, PromptCache } from "../dialect.ts";
import { isObject, objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

/** Number of blocks, including the marked one, among which a mark finds a prefix that an earlier request has cached. */
const lookBack = 20;
const mostMarks = 4;
const unmarkable = ["thinking", "redacted_thinking"];

/** A block of a prompt: its place in the request, the hash of the prompt up to its end, and its tokens so far. */
type Position = { block: JsonObject; at: string; hash: string; tokens: number };
type Mark = { index: number; ttl: Ttl };
type Ttl = "5m" | "1h";
type Entry = { ttl: Ttl; expiresAt: number };

const milliseconds: Readonly<Record<Ttl, number>> = { "5m": 300_000, "1h": 3_600_000 };

/**
 * Anthropic's prompt cache. A marked prefix is cached by its exact bytes and for one key, once the answer to its
 * request has begun. It stays for the mark's lifetime after its last use. A mark finds prefixes that end at most 20
 * blocks before its own end. A prefix below the model's minimum is neither cached nor found.
 */
export class AnthropicCache implements PromptCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  /** `now`: the clock of the cache, in milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  count(body: unknown, key = ""): CacheCounts {
    const asked = objectOf(body);
    const positions = positionsIn(asked, key);
    const marks = marksIn(asked, positions);
    const least = leastTokens(stringOrEmpty(asked["model"]));
    const tokensAt = (index: number): number => positions[index]?.tokens ?? 0;
    const hits = marks.map(({ index }) => this.#findBefore(positions, index));
    for (const index of hits) this.#refresh(positions[index]);
    const found = Math.max(-1, ...hits);
    const written = marks.filter(({ index }) => index > found && tokensAt(index) >= least);
    const endOf = (those: readonly Mark[]) => tokensAt(Math.max(found, ...those.map(({ index }) => index)));
    const read = tokensAt(found);
    return {
      prompt: tokensAt(positions.length - 1),
      read,
      write: endOf(written) - read,
      hourWrite: endOf(written.filter(({ ttl }) => ttl === "1h")) - read,
      begin: () => {
        for (const { index, ttl } of written) this.#add(positions[index], ttl);
      },
    };
  }

  #add(position: Position | undefined, ttl: Ttl): void {
    if (position !== undefined) this.#entries.set(position.hash, { ttl, expiresAt: this.#now() + milliseconds[ttl] });
  }

  #findBefore(positions: readonly Position[], marked: number): number {
    const isCached = (index: number) => (this.#entries.get(positions[index]?.hash ?? "")?.expiresAt ?? 0) > this.#now();
    for (let index = marked; index > marked - lookBack; index -= 1) if (isCached(index)) return index;
    return -1;
  }

  #refresh(position: Position | undefined): void {
    const entry = this.#entries.get(position?.hash ?? "");
    if (entry !== undefined) entry.expiresAt = this.#now() + milliseconds[entry.ttl];
  }
}

/** Returns the marks of a prompt. A mark for the whole prompt counts after its last markable block. */
function marksIn(body: JsonObject, positions: readonly Position[]): Mark[] {
  const marks = positions.flatMap(({ block }, index) => (isMarked(block) ? [{ index, ttl: ttlOf(block) }] : []));
  if (isMarked(body)) marks.push({ index: positions.findLastIndex(isMarkable), ttl: ttlOf(body) });
  return marks;
}

function ttlOf({ cache_control: mark }: JsonObject): Ttl {
  return objectOf(mark)["ttl"] === "1h" ? "1h" : "5m";
}

/** Returns the smallest size of a cached prefix. If sources disagree, the larger one. */
function leastTokens(modelId: string): number {
  if (/claude-(?:opus-4-[5-8]|haiku-4-5)/.test(modelId)) return 4096;
  return /claude-(?:sonnet-4-6|fable-5)/.test(modelId) ? 2048 : 1024;
}

/** Checks the marks: their number, their places, and that longer lifetimes precede shorter ones. */
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
  const late = "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.";
  yield refuseIf(isShort && isMarked(body) && ttlOf(body) === "1h", late, "cache_control");
}

/** Returns the blocks of a prompt in its order: tools, system, messages. */
function positionsIn(body: JsonObject, key = ""): Position[] {
  const { model, tools, system, speed, messages, tool_choice: choice, thinking } = body;
  const content = objectsIn(messages).flatMap((message) => blocksOf(message["content"]));
  const positions: Position[] = [];
  let [hash, bytes] = [hashOf("", { key, model }), 0];
  const add = (block: JsonObject, at: string, role?: unknown): void => {
    // The rules of a web search are part of the system prompt.
    if (!isSearch(block)) {
      const text = JSON.stringify({ role, ...block }, withoutMarks);
      hash = hashOf(hash, text);
      bytes += text.length;
    }
    positions.push({ block, at, hash, tokens: Math.ceil(bytes / 4) });
  };
  for (const [index, tool] of objectsIn(tools).entries()) add(tool, `tools.${index}`);
  // A change of these invalidates only the blocks that follow.
  hash = hashOf(hash, { speed, searches: objectsIn(tools).filter(isSearch), cites: content.some(isCited) });
  for (const [index, block] of blocksOf(system).entries()) add(block, `system.${index}`);
  const { type, budget_tokens: budget } = objectOf(thinking);
  hash = hashOf(hash, { choice, thinking: { type, budget }, hasImages: content.some(hasImage) });
  for (const [index, { role, content: said }] of objectsIn(messages).entries())
    for (const [place, block] of blocksOf(said).entries()) add(block, `messages.${index}.content.${place}`, role);
  return positions;
}

function isSearch({ type }: JsonObject): boolean {
  return stringOrEmpty(type).startsWith("web_search_2");
}

function isCited({ citations }: JsonObject): boolean {
  return objectOf(citations)["enabled"] === true;
}

function hasImage({ type, content }: JsonObject): boolean {
  return type === "image" || objectsIn(content).some(hasImage);
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
