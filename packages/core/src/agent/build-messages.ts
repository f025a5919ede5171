import type { ChatMessage } from "../message/message.ts";
import type { Run } from "../run/run.ts";
import { estimateTextTokens } from "../history/estimate-tokens.ts";
import { estimateTokens } from "../history/estimate-tokens.ts";
import { trimHistory } from "../history/trim-history.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { AgentParts } from "./agent-parts.ts";
import { isBlank } from "../util/is-blank.ts";
import { loadHistory } from "./load-history.ts";
import type { Past } from "./load-history.ts";

/** What the messages of a run are made from. */
type Sources = { past: Past; tools: ToolSet };

/** What the model is sent first: instructions with what is remembered, the history as far as it fits, the input. */
export async function buildMessages(parts: AgentParts, { past, tools }: Sources): Promise<ChatMessage[]> {
  const { run } = past;
  const [instructions, history] = await Promise.all([readInstructions(parts, run), loadHistory(parts, past)]);
  const prompt = [instructions, ...history.remembered].filter((text) => text !== "").join("\n\n");
  const system: ChatMessage[] = isBlank(prompt) ? [] : [{ role: "system", content: prompt }];
  const input: ChatMessage = { role: "user", content: run.input };
  const { maxContextTokens } = parts.config;
  if (maxContextTokens === undefined) return [...system, ...history.messages, input];
  const reservedTokens = estimateTokens([...system, input]) + toolTokens(tools);
  return [...system, ...trimHistory(history.messages, { maxContextTokens, reservedTokens }), input];
}

async function readInstructions({ config }: AgentParts, { context }: Run): Promise<string> {
  const { instructions = "" } = config;
  return typeof instructions === "string" ? instructions : await instructions(context);
}

function toolTokens({ specs }: ToolSet): number {
  return specs.length === 0 ? 0 : estimateTextTokens(JSON.stringify(specs));
}
