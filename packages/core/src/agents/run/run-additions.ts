import { arrayOf, integerOption, nested, nonBlankString } from "../../base/errors/option-checks.ts";
import { optional, satisfying, stringOption } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionTable } from "../../base/errors/read-options.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** A tool that the client of one run executes itself. The run waits for the results of its calls. */
export type ClientTool = {
  /** The tool's name, in the form of `ToolDef.name`. */
  name: string;
  /** The purpose of the tool, for the model. @default the name */
  description?: string | undefined;
  /** The JSON Schema of the arguments, an object's. @default an object without fields */
  parameters?: Readonly<Record<string, unknown>> | undefined;
};

/** What the caller of one run adds to the agent's own configuration. All of it is JSON. It replaces nothing. */
export type RunAdditions = {
  /** Instructions behind those of the agent or the team. */
  instructions?: string | undefined;
  /** Tools beside those of the agent. A name that the agent has already is `invalid_request`. Teams reject them. */
  clientTools?: readonly ClientTool[] | undefined;
  /**
   * The JSON Schema of the answer, for an agent without `structuredOutput`. The answer is checked and repaired as with
   * that. Teams reject it.
   */
  outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The maximum number of tokens of an answer, if it is lower than the maximum of the agent. */
  maxTokens?: number | undefined;
};

const schema = satisfying<Record<string, unknown>>("a JSON schema (an object)", isRecord);
const maxTools = 128;

const clientTool = nested({
  name: nonBlankString(),
  description: optional(stringOption),
  parameters: optional(schema),
} satisfies OptionTable<ClientTool>) as OptionCheck<ClientTool>;

const eachTool = arrayOf("tools", clientTool);

const clientTools: OptionCheck<readonly ClientTool[]> = (value, name, where) => {
  const tools = eachTool(value, name, where);
  if (tools.length <= maxTools) return tools;
  throw wrongOption({ ...where, name }, `an array of at most ${maxTools} tools`, value);
};

/** Option check for `additions` of a run. The agent itself checks the schemas. */
export const additionsOption = nested({
  instructions: optional(stringOption),
  clientTools: optional(clientTools),
  outputSchema: optional(schema),
  maxTokens: optional(integerOption(1)),
} satisfies OptionTable<RunAdditions>) as OptionCheck<RunAdditions>;
