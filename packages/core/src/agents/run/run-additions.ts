import { arrayOf, integerOption, nested, nonBlankString } from "../../base/errors/option-checks.ts";
import { optional, customOption, stringOption } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionTable } from "../../base/errors/read-options.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** A tool that the client of one run executes itself. The run waits for the results of the client's calls. */
export type ClientTool = {
  /** The tool's name, in the form of `ToolDef.name`. */
  name: string;
  /** The purpose of the tool, for the model. @default the name */
  description?: string | undefined;
  /** The JSON Schema of the arguments, which must be an object. @default an object without fields */
  parameters?: Readonly<Record<string, unknown>> | undefined;
};

/**
 * Additions of one run's caller to the agent's configuration. They are JSON, and never replace a part of the
 * configuration.
 */
export type RunAdditions = {
  /** Instructions that are appended to the instructions of the agent or the team. */
  instructions?: string | undefined;
  /**
   * Tools in addition to the agent's tools. A name that one of the agent's tools already has is rejected as
   * `invalid_request`. Teams reject client tools.
   */
  clientTools?: readonly ClientTool[] | undefined;
  /**
   * The JSON Schema of the answer, for an agent without `structuredOutput`. The answer is checked and repaired as with
   * that option. Teams reject this addition.
   */
  outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The maximum number of tokens of an answer. It applies only if it is lower than the agent's own maximum. */
  maxTokens?: number | undefined;
};

const schema = customOption<Record<string, unknown>>("a JSON schema (an object)", isRecord);
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
