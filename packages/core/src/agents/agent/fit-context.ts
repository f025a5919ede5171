import { estimateTextTokens, estimateTokens } from "../../sessions/history/estimate-tokens.ts";
import { newestInBlocks, newestThatFit, splitBefore, trimHistory } from "../../sessions/history/trim-history.ts";
import type { ToolSpec } from "../../model/model-config.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";

/** The parts of a conversation that `fitContext` treats differently, and the token budget. */
export type ContextLimits = {
  /** The number of system messages at the beginning of the conversation. */
  readonly systemCount: number;
  /** The index of the run's input: the history is before it, and the run's own messages are after it. */
  readonly inputIndex: number;
  readonly maxContextTokens: number;
  readonly tools: readonly ToolSpec[];
};

/**
 * Omits messages until the estimated size of one model call fits `maxContextTokens`. First it drops the oldest turns of
 * the history, then the run's oldest round trips (an answer with the results of its calls). The system prompt, the
 * tools, the input and the newest round trip stay. `isOver` is true if these alone do not fit.
 */
export function fitContext(
  messages: readonly ModelMessage[],
  { systemCount, inputIndex, maxContextTokens, tools }: ContextLimits,
): { messages: readonly ModelMessage[]; isOver: boolean } {
  const system = messages.slice(0, systemCount);
  const input = messages.slice(inputIndex, inputIndex + 1);
  const steps = splitBefore(messages.slice(inputIndex + 1), "assistant");
  const room = maxContextTokens - estimateTokens([...system, ...input]) - toolTokens(tools);
  const fitting = newestThatFit(steps, room).length;
  const kept = (fitting === steps.length ? steps : newestInBlocks(steps, Math.max(1, fitting))).flat();
  const left = room - estimateTokens(kept);
  // If round trips of this run are dropped, the whole history is dropped too: older turns before such a gap would
  // confuse the model.
  const past = fitting < steps.length ? [] : messages.slice(systemCount, inputIndex);
  return {
    messages: [...system, ...trimHistory(past, { maxContextTokens: left }), ...input, ...kept],
    isOver: left < 0,
  };
}

function toolTokens(tools: readonly ToolSpec[]): number {
  return tools.length === 0 ? 0 : estimateTextTokens(JSON.stringify(tools));
}
