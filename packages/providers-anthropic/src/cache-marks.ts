import type { MessageCreateParamsBase } from "@anthropic-ai/sdk/resources/messages/messages";
import type { PromptCache } from "./options.ts";

/** The parts of a request that accept cache marks. */
export type MarkableBody = Pick<MessageCreateParamsBase, "tools" | "system" | "messages">;

/** Largest number of cache marks in a request; the vendor refuses more. */
const mostMarks = 4;

type Fields = Readonly<Record<string, unknown>>;
type Mark = { type: "ephemeral"; ttl?: "1h" };
/**
 * A place in a request for a cache mark that we add. `level` is the part of the prompt that contains the place. `set`
 * adds the mark there.
 */
type Place = { level: Level; ttl?: "1h" | undefined; set: (mark: Mark) => void };
type Level = (typeof levels)[number];

/**
 * The facts that determine the places of marks: the caller's own fields, true if no other call follows, and true if the
 * model may think.
 */
type Circumstances = { given?: Fields | undefined; isSingle?: boolean; mayThink?: boolean };

/**
 * The parts of a prompt in the order in which the vendor reads them. `cache_control` is a mark for the whole prompt.
 */
const levels = ["tools", "system", "messages", "cache_control"] as const;

/**
 * Adds marks for the vendor's prompt cache to the body of a request. They follow the instructions, the newest message,
 * the user's message before it, and the tools. Marks in the caller's own (`given`) fields have priority: if the vendor
 * would refuse the number of marks, the last of our marks are dropped. Fields that the caller has given get no mark,
 * except tools, which are added to ours. A call that no other follows (`isSingle`) has no marks after messages, because
 * writing to the cache costs more than reading the messages once.
 */
export function addCacheMarks(
  body: MarkableBody,
  { ttl: wanted }: Exclude<PromptCache, false>,
  circumstances: Circumstances = {},
): void {
  const { given = {} } = circumstances;
  // The tools are copied, because the array may belong to the caller.
  if (body.tools !== undefined) body.tools = [...body.tools];
  const theirs = levels.flatMap((level) =>
    marksIn(given[level], level === "cache_control").map((ttl) => ({ level, ttl })),
  );
  const firstShort = Math.min(
    levels.length,
    ...theirs.flatMap(({ level, ttl }) => (ttl === "1h" ? [] : [rank(level)])),
  );
  const lastLong = Math.max(-1, ...theirs.flatMap(({ level, ttl }) => (ttl === "1h" ? [rank(level)] : [])));
  const places = placesIn(body, circumstances).map((place) => {
    const isStable = place.level === "tools" || place.level === "system";
    // The vendor refuses a cache mark with a long lifetime that follows a mark with a short lifetime.
    const ttl = isStable && wanted === "1h" && rank(place.level) < firstShort ? wanted : undefined;
    return { ...place, ttl };
  });
  const fitting = places.filter(({ level, ttl }) => ttl === "1h" || rank(level) >= lastLong);
  for (const { ttl, set } of fitting.slice(0, Math.max(0, mostMarks - theirs.length)))
    set({ type: "ephemeral", ...(ttl !== undefined && { ttl }) });
}

function rank(level: Level): number {
  return levels.indexOf(level);
}

/** Returns the places for our cache marks, the most useful first. */
function placesIn(
  { tools, system, messages }: MarkableBody,
  { given = {}, isSingle = false, mayThink = false }: Circumstances,
): Place[] {
  const isOwn = (field: Level): boolean => given[field] === undefined;
  const instructions = isOwn("system") && typeof system !== "string" ? placeIn("system", system, 0) : [];
  const tool = placeIn("tools", tools, -1);
  const marked = isOwn("messages") && !isSingle ? newestOfUser(messages, mayThink) : [];
  const turns = marked.flatMap(({ content }) => placeIn("messages", content, -1));
  // The caller's mark for the whole prompt already covers the newest message.
  if (!isOwn("cache_control")) turns.shift();
  return system === undefined ? [...tool, ...turns] : [...instructions, ...turns, ...tool];
}

/**
 * Returns the user's newest message and the user's message before it, where the last request had its mark. With
 * thinking, model calls of an earlier turn are sent again without their thinking, so the cache does not contain them.
 * In that case the message that began the turn is returned instead.
 */
function newestOfUser(messages: MarkableBody["messages"], mayThink: boolean): MarkableBody["messages"] {
  const [newest, ...earlier] = messages.filter(({ role }) => role === "user").toReversed();
  if (newest === undefined) return [];
  const before = mayThink && !hasResults(newest) ? earlier.find((message) => !hasResults(message)) : earlier[0];
  return before === undefined ? [newest] : [newest, before];
}

function hasResults({ content }: MarkableBody["messages"][number]): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === "tool_result");
}

function placeIn(level: Level, blocks: unknown, at: 0 | -1): Place[] {
  if (!Array.isArray(blocks)) return [];
  const index = at === 0 ? 0 : blocks.length - 1;
  const block = blocks[index] as object | undefined;
  if (block === undefined || "cache_control" in block) return [];
  // The block is replaced and not changed, because it may belong to the caller.
  return [{ level, set: (mark) => void (blocks[index] = { ...block, cache_control: mark }) }];
}

/** Returns the lifetime of each cache mark in a part of a prompt. */
function marksIn(part: unknown, isMark: boolean): unknown[] {
  if (typeof part !== "object" || part === null) return [];
  if (isMark) return [(part as { ttl?: unknown }).ttl];
  // Schemas and arguments of tools are skipped: they may have properties of their own with the name `cache_control`.
  const inner = Object.entries(part).filter(([name]) => name !== "input_schema" && name !== "input");
  return inner.flatMap(([name, value]) => marksIn(value, name === "cache_control"));
}
