import type { ModelRules } from "./model-rules.ts";
import type { PromptCache } from "./options.ts";
import type { WireCachePoint, WireMessage, WireRequest } from "./wire-types.ts";

type Points = { promptCache: PromptCache; rules: Pick<ModelRules, "cachePoints">; isSingle: boolean };

const short: WireCachePoint = { cachePoint: { type: "default" } };

/**
 * Adds the points up to which Bedrock caches the prompt: after the tools, the instructions, the user's newest message,
 * and the user's message before it. Bedrock accepts at most these four, and ignores a point after too short a prompt. A
 * call that no other follows (`isSingle`) has no points in its messages, because writing to the cache costs more than
 * reading the messages once. If the caller has set points in a request, none are added.
 */
export function addCachePoints(body: WireRequest, { promptCache, rules, isSingle }: Points): void {
  if (promptCache === false || rules.cachePoints === "none" || hasPoints(body)) return;
  const long: WireCachePoint = promptCache.ttl === "1h" ? { cachePoint: { type: "default", ttl: "1h" } } : short;
  const { toolConfig, system } = body;
  if (toolConfig !== undefined && rules.cachePoints === "all")
    body.toolConfig = { ...toolConfig, tools: [...toolConfig.tools, long] };
  if (system !== undefined) body.system = [...system, long];
  if (!isSingle) body.messages = withPoints(body.messages);
}

/**
 * Adds points after the user's last two messages. The last request had its point after the first of them, and the next
 * request will look for a point after the second.
 */
function withPoints(messages: readonly WireMessage[]): WireMessage[] {
  const marked = messages.filter(({ role }) => role === "user").slice(-2);
  return messages.map((message) =>
    marked.includes(message) ? { ...message, content: [...message.content, short] } : message,
  );
}

function hasPoints({ toolConfig, system, messages }: WireRequest): boolean {
  const blocks = [...(toolConfig?.tools ?? []), ...(system ?? []), ...messages.flatMap(({ content }) => content)];
  return blocks.some((block) => "cachePoint" in block);
}
