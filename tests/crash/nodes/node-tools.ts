import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { resultOf } from "../durable-setup.ts";
import type { EffectsFile } from "./effects-file.ts";
import type { ToolName } from "./questions.ts";

type Outside = { effects: EffectsFile; node: string; isDoubling: boolean };

/** Makes the tools of a worker, whose effects are lines in a file. */
export function makeTools(outside: Outside): ToolDef[] {
  const tool = (name: ToolName, options: Partial<ToolDef>) =>
    defineTool({
      name,
      description: `Writes a line: ${name}.`,
      parameters: { type: "object" } as const,
      execute: async (_args, { idempotencyKey }) => await act(outside, name, idempotencyKey),
      ...options,
    });
  const verify = async (key: string) => (outside.effects.has(key) ? { result: resultOf(key) } : null);
  return [
    tool("pure", { effect: "pure" }),
    tool("idempotent", { effect: "idempotent" }),
    tool("checked", { effect: "once", verify }),
    tool("asked", { effect: "once" }),
    tool("approved", { effect: "once", needsApproval: true, verify }),
    defineTool({ name: "locate", description: "Asks the client.", parameters: { type: "object" } as const }),
  ];
}

/** Has its effect between two pauses, so that processes die before it and behind it. */
async function act({ effects, node, isDoubling }: Outside, tool: string, key: string): Promise<string> {
  const begunAt = Date.now();
  await sleep(10);
  effects.append({ key, tool, node, begunAt, at: Date.now() });
  if (isDoubling) effects.append({ key, tool, node, begunAt, at: Date.now() });
  await sleep(10);
  return resultOf(key);
}
