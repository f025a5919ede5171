import { isIssuedThinking, isThinkingOn } from "../dialects/anthropic-thinking.ts";
import { objectsIn, wordOf } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { refuseIf } from "./first-refusal.ts";
import type { Checks } from "./first-refusal.ts";

/** Thinking comes back as it was issued, and within a loop of tools it comes back at all. */
export function* thinkingChecks(body: JsonObject): Checks {
  const messages = objectsIn(body["messages"]);
  const turnStart = messages.findLastIndex(isAsked);
  for (const [index, message] of messages.entries()) {
    const blocks = objectsIn(message["content"]);
    const isLost = isThinkingOn(body) && index > turnStart && callsWithoutThought(blocks);
    yield refuseIf(
      isLost,
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${wordOf(blocks[0]?.["type"])}\`.`,
      `messages.${index}`,
    );
    for (const [at, block] of blocks.entries()) {
      yield refuseIf(
        block["type"] === "thinking" && !isIssuedThinking(block, body, index),
        `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
        `messages.${index}.content.${at}`,
      );
    }
  }
}

/** Whether a message is the user's own, and not one of results. */
function isAsked({ role, content }: JsonObject): boolean {
  return role === "user" && !objectsIn(content).some(({ type }) => type === "tool_result");
}

function callsWithoutThought(blocks: readonly JsonObject[]): boolean {
  const first = wordOf(blocks[0]?.["type"]);
  return blocks.some(({ type }) => type === "tool_use") && first !== "thinking" && first !== "redacted_thinking";
}
