import { wrongOption } from "../errors/read-options.ts";
import { toPublicError } from "../errors/public-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Runnable } from "../run/runnable.ts";
import { readProperty } from "../util/read-property.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolDef } from "./tool.ts";

/** How a runnable is shown to the model that may ask it. */
export type RunnableToolOptions = {
  /** @default `ask_` and the name of the runnable */
  name?: string;
  /** @default the description of the runnable */
  description?: string;
  /** @default 600000 */
  timeoutMs?: number;
};

const known: readonly string[] = ["name", "description", "timeoutMs"] satisfies (keyof RunnableToolOptions)[];
const longestName = 64;

const parameters = {
  type: "object",
  properties: { input: { type: "string", description: "The task or question, with all that it takes to answer it." } },
  required: ["input"],
  additionalProperties: false,
};

/** Makes a tool of an agent, a team or anything else that runs: called, it runs within the caller's run and gives its text. */
export function runnableAsTool(runnable: Runnable, options: RunnableToolOptions = {}): ToolDef {
  checkAsTool(runnable, options);
  const { name = legalName(`ask_${runnable.name}`), timeoutMs = 600_000 } = options;
  const ownDescription = runnable.description?.trim() || `Asks ${runnable.name} and gives back its answer.`;
  return defineTool({
    name,
    description: options.description ?? ownDescription,
    parameters,
    timeoutMs,
    execute: async ({ input }, context) => await ask(runnable, input as string, context),
  });
}

async function ask(runnable: Runnable, input: string, context: RunContext): Promise<string> {
  try {
    const { text } = await runnable.run(input, { parent: context, signal: context.signal });
    return text;
  } catch (error) {
    const { code, message } = toPublicError(error);
    throw new TroupeError(code, message, { cause: error });
  }
}

function legalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, longestName);
}

function checkAsTool(runnable: unknown, options: object): void {
  if (typeof readProperty(runnable, "name") !== "string" || typeof readProperty(runnable, "run") !== "function") {
    throw wrongOption("The runnable of a tool", "an agent, a team or anything else with a name and run()", runnable);
  }
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown === undefined) return;
  const shown = JSON.stringify(unknown.slice(0, 64));
  throw new TroupeError("invalid_config", `A runnable as a tool has no option ${shown}: it takes ${known.join(", ")}.`);
}
