import { EventBus } from "../../../base/events/event-bus.ts";
import type { ApiKeys } from "../../../model/keys/api-keys.ts";
import { createLogger } from "../../../base/log/logger.ts";
import type { ToolCall, ToolCallResult } from "../../../base/message/tool-call.ts";
import type { RunContext } from "../../run/run-context.ts";
import type { RunEvents } from "../../run/run-events.ts";
import { deriveContext } from "../../run/derive-context.ts";
import { testRun } from "../../run/test/test-run.ts";
import { drain } from "../../../base/async/drain.ts";
import { executeToolCalls } from "../execute-tool-calls.ts";
import type { ToolBatchOptions } from "../execute-tool-calls.ts";
import { ToolSet } from "../tool-set.ts";
import type { ToolDef } from "../../run/tool.ts";

/** Facts of a run for tool calls, its keys, and the lines of its log. */
export type TestRun = Partial<RunContext> & { apiKeys?: ApiKeys; tenantId?: string; lines?: string[] };

export function contextOf({ apiKeys = {}, tenantId, lines, ...facts }: TestRun = {}): RunContext {
  const logger =
    lines === undefined
      ? createLogger()
      : createLogger({ level: "info", color: false, write: (line) => lines.push(line) });
  const { signal } = new AbortController();
  const run = { runId: "run-1", agentName: "agent", sessionId: "session-1", metadata: {}, signal, logger };
  const { context } = testRun({ apiKeys, ...(tenantId !== undefined && { tenantId }) }, { logger });
  return deriveContext(context, { ...run, ...facts });
}

/** A call of the named tool. Its id is `id-<name>` by default. */
export function callOf(name: string, args: Record<string, unknown> = {}, id = `id-${name}`): ToolCall {
  return { id, name, arguments: args };
}

/** A complete batch. */
export function batchOf(
  tools: ToolSet | readonly ToolDef[],
  calls: readonly ToolCall[],
  more: Partial<ToolBatchOptions> = {},
): ToolBatchOptions {
  const eventBus = new EventBus<RunEvents>();
  const set = tools instanceof ToolSet ? tools : new ToolSet(tools);
  return { calls, tools: set, context: contextOf(), roundtrip: 0, eventBus, ...more };
}

/** Executes the calls and returns all results in their order. */
export async function resultsOf(batch: ToolBatchOptions): Promise<ToolCallResult[]> {
  return await drain(executeToolCalls(batch));
}

/** Returns the result of a batch's first call. */
export async function resultOf(batch: ToolBatchOptions): Promise<ToolCallResult> {
  const [result] = await resultsOf(batch);
  if (result === undefined) throw new Error("The batch gave no result.");
  return result;
}
