import { getTextContent } from "../message/content.ts";
import type { ContentPart, MessageContent } from "../message/content.ts";
import { askGuardrail } from "./ask-guardrail.ts";
import type { GuardrailCheck } from "./ask-guardrail.ts";

/**
 * The text as the guardrails let it pass, asked one after the other: each sees what the one before it made of the text, and
 * the first refusal is thrown as a `GuardrailError`.
 */
export async function checkGuardrails(text: string, check: GuardrailCheck): Promise<string> {
  let passed = text;
  for (const guardrail of check.guardrails) passed = await askGuardrail(guardrail, passed, check);
  return passed;
}

/**
 * The input of a run as the guardrails let its text pass; parts without text are not checked and stay where they are. New
 * words for a list of parts stand where its first text stood.
 */
export async function checkInput(
  content: MessageContent,
  { guardrails, context }: Omit<GuardrailCheck, "side">,
): Promise<MessageContent> {
  const text = getTextContent(content);
  const passed = await checkGuardrails(text, { guardrails, side: "input", context });
  if (passed === text) return content;
  return typeof content === "string" ? passed : replaceText(content, passed);
}

function replaceText(parts: readonly ContentPart[], text: string): ContentPart[] {
  const first = Math.max(
    parts.findIndex(({ type }) => type === "text"),
    0,
  );
  const others = (some: readonly ContentPart[]) => some.filter(({ type }) => type !== "text");
  return [...others(parts.slice(0, first)), { type: "text", text }, ...others(parts.slice(first))];
}
