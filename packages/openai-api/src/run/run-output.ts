import type { PublicOutput, ServedRun } from "@troupe/core/transport";

/** The output of a workflow: its state, and what each step gave. */
type WorkflowOutput = {
  readonly state: unknown;
  readonly steps: readonly { readonly output?: unknown }[];
  readonly usage: PublicOutput["usage"];
};

/** What an answer shows of a run that has ended. */
export type ShownOutput = Pick<PublicOutput, "text" | "usage" | "thinking" | "sources" | "toolCalls">;

/** Returns the answer of a run. That of a workflow is what its last step gave, as text. */
export function outputOf({ kind }: Pick<ServedRun, "kind">, output: unknown): ShownOutput {
  if (kind !== "workflow") return output as ShownOutput;
  const { state, steps, usage } = output as WorkflowOutput;
  const last: unknown = steps.findLast(({ output: given }) => given !== undefined)?.output ?? state;
  return { text: typeof last === "string" ? last : JSON.stringify(last ?? null), usage, toolCalls: [] };
}
