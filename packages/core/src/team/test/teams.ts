import { Agent } from "../../agent/agent.ts";
import type { AgentConfig } from "../../agent/agent-config.ts";
import { getTextContent } from "../../message/content.ts";
import { addUsage, noUsage } from "../../message/token-usage.ts";
import type { TokenUsage } from "../../message/token-usage.ts";
import type { StreamChunk } from "../../model/stream-chunk.ts";
import type { RunStream } from "../../run/runnable.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedCall } from "../../testing/scripted-model.ts";
import { scriptedUsage } from "../../testing/scripted-turn.ts";
import type { ScriptedTurn } from "../../testing/scripted-turn.ts";
import type { TeamMode } from "../team-config.ts";

type Turns = ConstructorParameters<typeof ScriptedModel>;

export const allModes: readonly TeamMode[] = ["coordinate", "route", "broadcast", "collaborate"];

/** A model of a vendor. */
export class VendorModel extends ScriptedModel {
  override readonly providerId: string;

  constructor(providerId: string, ...turns: Turns) {
    super(...turns);
    this.providerId = providerId;
  }

  /** The keys that it was called with. */
  get keys(): unknown[] {
    return [...new Set(this.calls.map(({ options }) => options.apiKey))];
  }
}

/** A member that plays these turns. */
export function member(name: string, turns: Turns, config: Partial<AgentConfig> = {}) {
  const model = new ScriptedModel(...turns);
  return { agent: new Agent({ name, model, ...config }), model };
}

/** A member that always says the same. */
export function sayer(name: string, turn: ScriptedTurn, config: Partial<AgentConfig> = {}) {
  const model = new ScriptedModel().respond(() => turn);
  return { agent: new Agent({ name, model, ...config }), model };
}

/** A turn in which an orchestrator hands a task to each. */
export function delegate(...names: string[]): ScriptedTurn {
  return { toolCalls: names.map((name) => ({ name: `delegate_to_${name}`, arguments: { task: `task for ${name}` } })) };
}

/** A turn in which an orchestrator picks. */
export function pick(name: string): ScriptedTurn {
  return { structured: { member: name } };
}

export const agrees: ScriptedTurn = { structured: { agree: true } };

/** What an orchestrator says in each mode when it lets `ann` and `bob` work, or `ann` alone, and answers "done". */
export function orchestratorTurns(mode: TeamMode): Turns {
  if (mode === "coordinate") return [delegate("ann", "bob"), "done"];
  return mode === "route" ? [pick("ann")] : ["done"];
}

/** What a member says in each mode: a contribution and, in a discussion, its vote. */
export function memberTurns(mode: TeamMode, text: string): Turns {
  return mode === "collaborate" ? [text, agrees] : [text];
}

/** What was said last, call by call. */
export function lastSaid({ calls }: ScriptedModel): string[] {
  return calls.map(({ messages }) => getTextContent(messages.at(-1)?.content ?? null));
}

/** All that a call was told, in one text. */
export function told(call: ScriptedCall | undefined): string {
  return (call?.messages ?? []).map(({ content }) => getTextContent(content)).join("\n");
}

/** What calls that came to their end have cost. */
export function billed(...models: ScriptedModel[]): TokenUsage {
  const calls = models.flatMap((model) => model.calls.filter(({ end }) => end === "completed"));
  return calls.reduce((sum) => addUsage(sum, scriptedUsage), noUsage);
}

export async function readAll(stream: RunStream): Promise<StreamChunk[]> {
  return await Array.fromAsync(stream);
}

export function textOf(chunks: readonly StreamChunk[]): string {
  return chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("");
}
