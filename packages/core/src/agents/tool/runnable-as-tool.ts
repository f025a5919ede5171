import { stringOption, longestTimerMs, optional, positiveNumber } from "../../base/errors/option-checks.ts";
import { toPublicError } from "../../base/errors/public-error.ts";
import { CitationMarks } from "../../base/message/citation-marks.ts";
import { readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { effectOfRunnable } from "../run/keeps-steps.ts";
import { runOfContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Runnable } from "../run/runnable.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { onStoredResult } from "./child-run-tool.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolDef, ToolResult } from "../run/tool.ts";
import { cutText } from "../../base/util/cut-text.ts";

/** Options of `runnableAsTool`: the name, the description and the time limit of the tool. */
export type RunnableToolOptions = {
  /** The name of the tool. @default `ask_` followed by the name of the runnable */
  name?: string | undefined;
  /** The description of the tool. @default the description of the runnable */
  description?: string | undefined;
  /** Milliseconds after which a call of the tool fails. @default 600000 */
  timeoutMs?: number | undefined;
};

const optionTable = {
  name: optional(stringOption),
  description: optional(stringOption),
  timeoutMs: optional(positiveNumber(longestTimerMs), 600_000),
} satisfies OptionTable<RunnableToolOptions>;

const where = { path: "asTool" };
const longestName = 64;

const parameters = {
  type: "object",
  properties: { input: { type: "string", description: "The task or question, with all that it takes to answer it." } },
  required: ["input"],
  additionalProperties: false,
};

/**
 * Makes a tool with which a model asks another runnable. Each call is a child run of the caller's run. Its result is
 * the text of the child run's answer, with the child run's artifacts; the answer's sources are added to the caller's.
 */
export function runnableAsTool(runnable: Runnable, options: RunnableToolOptions = {}): ToolDef {
  checkRunnable(runnable);
  const { name = legalName(`ask_${runnable.name}`), description, timeoutMs } = readOptions(optionTable, options, where);
  const ownDescription = runnable.description?.trim() || `Asks ${runnable.name} and gives back its answer.`;
  const effect = effectOfRunnable(runnable);
  const definition = {
    name,
    description: description ?? ownDescription,
    parameters,
    timeoutMs,
    // The errors that this tool throws have only messages that clients may see.
    publicErrors: true,
    execute: async ({ input }: Record<string, unknown>, context: RunContext) =>
      await runForText(runnable, input as string, context),
  };
  if (effect !== undefined) return defineTool({ ...definition, effect });
  // The tool is marked as a child run, so that an interrupted call continues where it stopped.
  const childRun = { ...definition, [onStoredResult]: ignore };
  return defineTool(childRun);
}

function ignore(): void {}

async function runForText(runnable: Runnable, input: string, context: RunContext): Promise<ToolResult> {
  try {
    const output = await runnable.run(input, { parent: context, signal: context.signal });
    return toToolResult({ ...output, text: passOnCitations(output, context) });
  } catch (error) {
    const { code, message } = toPublicError(error);
    throw new TroupeError(code, message, { cause: error });
  }
}

/**
 * Adds the sources of a child run to the run of the context. Returns the child's text, with its citation marks
 * renumbered for that run.
 */
export function passOnCitations({ text, sources }: Pick<RunOutput, "text" | "sources">, context: RunContext): string {
  const run = runOfContext(context);
  if (run === undefined) return text;
  const numbers = run.passOnSources(sources);
  if (sources?.some(({ passage }) => passage !== undefined) !== true) return text;
  run.citesSources = true;
  return CitationMarks.replace(text, (cited) => numbers[cited - 1]);
}

/** Makes a tool's result from the output of the run that the tool performs: its text and its artifacts. */
export function toToolResult({ text, artifacts }: Pick<RunOutput, "text" | "artifacts">): ToolResult {
  if (artifacts === undefined) return { content: text };
  // The ids of the inner tool calls are removed from the artifacts, because the outer run does not contain these calls.
  return { content: text, artifacts: artifacts.map(({ toolCallId: _id, toolName: _name, ...artifact }) => artifact) };
}

function legalName(name: string): string {
  return cutText(name.replace(/[^A-Za-z0-9_-]/g, "_"), longestName);
}

function checkRunnable(runnable: unknown): void {
  if (typeof readProperty(runnable, "name") === "string" && typeof readProperty(runnable, "run") === "function") return;
  throw wrongOption("The runnable of a tool", "an agent, a team or another object with a name and run()", runnable);
}
