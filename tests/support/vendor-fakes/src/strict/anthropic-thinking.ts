import { isIssuedThinking, isThinkingOn } from "../dialects/anthropic-thinking.ts";
import { objectsIn, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

/** Checks that thinking is sent back unchanged, and not missing within a tool loop. */
export function* thinkingChecks(body: JsonObject): Checks {
  const messages = objectsIn(body["messages"]);
  const turnStart = messages.findLastIndex(isAsked);
  for (const [index, message] of messages.entries()) {
    const blocks = objectsIn(message["content"]);
    const isLost = isThinkingOn(body) && index > turnStart && callsWithoutThought(blocks);
    yield refuseIf(
      isLost,
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${stringOrEmpty(blocks[0]?.["type"])}\`.`,
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

/** Returns true for a user message without results. */
function isAsked({ role, content }: JsonObject): boolean {
  return role === "user" && !objectsIn(content).some(({ type }) => type === "tool_result");
}

function callsWithoutThought(blocks: readonly JsonObject[]): boolean {
  const first = stringOrEmpty(blocks[0]?.["type"]);
  return blocks.some(({ type }) => type === "tool_use") && first !== "thinking" && first !== "redacted_thinking";
}
