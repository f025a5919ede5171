import type { PublicOutput, ServedRun } from "@troupe/core/transport";

/** The output of a workflow: its state, and the outputs of its steps. */
type WorkflowOutput = {
  readonly state: unknown;
  readonly steps: readonly { readonly output?: unknown }[];
  readonly usage: PublicOutput["usage"];
};

/** The parts of a run's output that an answer shows. */
export type ShownOutput = Pick<PublicOutput, "text" | "usage" | "thinking" | "sources" | "toolCalls" | "finishReason">;

/**
 * Returns the output of a run as an answer. The text of a workflow is the last output of a step or, without such an
 * output, the state.
 */
export function outputOf({ kind }: Pick<ServedRun, "kind">, output: unknown): ShownOutput {
  if (kind !== "workflow") return output as ShownOutput;
  const { state, steps, usage } = output as WorkflowOutput;
  const last: unknown = steps.findLast(({ output: given }) => given !== undefined)?.output ?? state;
  return { text: typeof last === "string" ? last : JSON.stringify(last ?? null), usage, toolCalls: [] };
}
