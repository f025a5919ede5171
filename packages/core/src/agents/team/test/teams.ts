import { Agent } from "../../agent/agent.ts";
import type { AgentConfig } from "../../agent/agent-config.ts";
import { getTextContent } from "../../../base/message/content.ts";
import { addUsage, noUsage } from "../../../base/message/token-usage.ts";
import type { TokenUsage } from "../../../base/message/token-usage.ts";
import type { StreamChunk } from "../../run/stream-chunk.ts";
import type { RunStream } from "../../run/runnable.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import type { ScriptedCall } from "../../../testing/scripted-model.ts";
import { scriptedUsage } from "../../../testing/scripted-answer.ts";
import type { ScriptedAnswer } from "../../../testing/scripted-answer.ts";
import type { TeamMode } from "../team-config.ts";
import type { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";

type Turns = ConstructorParameters<typeof ScriptedModel>;

export const allModes: readonly TeamMode[] = ["coordinate", "route", "broadcast", "collaborate"];

/** A scripted model of a vendor. */
export class VendorModel extends ScriptedModel {
  override readonly providerId: string;

  constructor(providerId: string, ...turns: Turns) {
    super(...turns);
    this.providerId = providerId;
  }

  /** The keys of its calls. */
  get keys(): unknown[] {
    return [...new Set(this.calls.map(({ options }) => options.apiKey))];
  }
}

/** A member whose model answers with these turns of a script. */
export function member(name: string, turns: Turns, config: Partial<AgentConfig> = {}) {
  const model = new ScriptedModel(...turns);
  return { agent: new Agent({ name, model, ...config }), model };
}

/** A member that always gives the same answer. */
export function sayer(name: string, turn: ScriptedAnswer, config: Partial<AgentConfig> = {}) {
  const model = new ScriptedModel().respond(() => turn);
  return { agent: new Agent({ name, model, ...config }), model };
}

/** A scripted answer of an orchestrator that delegates a task to each member. */
export function delegate(...names: string[]): ScriptedAnswer {
  return { toolCalls: names.map((name) => ({ name: `delegate_to_${name}`, arguments: { task: `task for ${name}` } })) };
}

/** A scripted answer of an orchestrator that chooses a member. */
export function pick(name: string): ScriptedAnswer {
  return { structured: { member: name } };
}

export const agrees: ScriptedAnswer = { structured: { agree: true } };

/**
 * Returns the scripted answers of an orchestrator: in the mode `coordinate` it delegates to `ann` and `bob` and answers
 * "done", in `route` it picks `ann`, in the other modes it only answers "done".
 */
export function orchestratorTurns(mode: TeamMode): Turns {
  if (mode === "coordinate") return [delegate("ann", "bob"), "done"];
  return mode === "route" ? [pick("ann")] : ["done"];
}

/** Scripted answers of a member for each mode: a contribution and, in a discussion, its vote. */
export function memberTurns(mode: TeamMode, text: string): Turns {
  return mode === "collaborate" ? [text, agrees] : [text];
}

/** The last message of each call. */
export function lastSaid({ calls }: ScriptedModel): string[] {
  return calls.map(({ messages }) => getTextContent(messages.at(-1)?.content ?? null));
}

/** All messages of a call as one text. */
export function told(call: ScriptedCall | undefined): string {
  return (call?.messages ?? []).map(({ content }) => getTextContent(content)).join("\n");
}

/** Usage of the calls that completed. */
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

/** The ids of all sessions that a storage holds, and what else there is of them. */
export async function keysIn(storage: InMemoryStorage): Promise<string[]> {
  const spaces = await Promise.all(["sessions", "turns", "memory"].map((namespace) => storage.list(namespace)));
  return spaces.flat().map(({ key }) => decodeURIComponent(key));
}
