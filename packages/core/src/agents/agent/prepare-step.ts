import { untilAborted } from "../../base/async/until-aborted.ts";
import { booleanOption, stringOption, arrayOf, nonEmptyString, optional } from "../../base/errors/option-checks.ts";
import { joinNames, readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { WrapperError } from "../../base/errors/wrapper-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ToolChoice } from "../../model/model-config.ts";
import { modelOption } from "../../model/model-option.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { checkToolChoice } from "../../model/model-settings.ts";
import { withoutVendorState } from "../../model/vendor-state.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Run } from "../run/run.ts";
import { copyPlain } from "../tool/copy-plain.ts";

/** The model call that `prepareStep` prepares. Its messages are a copy, so changing them has no effect. */
export type UpcomingModelCall = {
  /** The number of model calls that the run made before this call. Repairs of a structured answer count too. */
  readonly index: number;
  /** The messages so far, including the system prompt, before they are trimmed to `maxContextTokens`. */
  readonly messages: ChatMessage[];
  /** The usage of the run so far. */
  readonly usage: TokenUsage;
  readonly context: RunContext;
};

/** Changes to one model call, returned by `prepareStep`. Omitted fields keep the run's values. */
export type ModelCallChanges = {
  /** The model for this call, of any vendor. The API key for it is found as for all model calls of the run. */
  model?: ModelProvider | undefined;
  /** Replaces the agent's instructions; memory and facts stay in the system prompt. */
  instructions?: string | undefined;
  /** The names of the tools that the model may call in this call. */
  tools?: readonly string[] | undefined;
  /**
   * The tool choice of this model call; it may force a call even if this is not the run's first model call. After the
   * last round trip no tool may be called in any case.
   */
  toolChoice?: ToolChoice | undefined;
  /**
   * Ends the run as completed instead of making the call. The answer is the text of the previous model call, or empty.
   * With structured output that text must fit the schema and is not repaired.
   */
  stop?: boolean | undefined;
};

/** A function that is called before each model call of an agent's run. It may change the call or end the run. */
export type PrepareStep = (call: UpcomingModelCall) => void | ModelCallChanges | Promise<void | ModelCallChanges>;

const table = {
  model: optional(modelOption),
  instructions: optional(stringOption),
  tools: optional(arrayOf("names of tools", nonEmptyString)),
  toolChoice: optional(checkToolChoice),
  stop: optional(booleanOption),
} satisfies OptionTable<ModelCallChanges>;

/** Parameters of `callPrepareStep`: the run, the number of the model call, its messages, and the names of the tools. */
export type StepRequest = {
  readonly run: Run;
  readonly index: number;
  readonly messages: readonly ModelMessage[];
  readonly toolNames: readonly string[];
};

/**
 * Calls `prepareStep` before a model call and returns the checked changes. Errors that it throws, and errors for wrong
 * changes, name the number of the call.
 */
export async function callPrepareStep(prepareStep: PrepareStep, request: StepRequest): Promise<ModelCallChanges> {
  const { run, index, messages, toolNames } = request;
  const plain = messages.map((message) => copyPlain(withoutVendorState(message)));
  const call = { index, messages: plain, usage: copyPlain(run.meter.total), context: run.context };
  try {
    const returned = await untilAborted(async () => await prepareStep(call), run.signal);
    const changes = readOptions(table, returned ?? {}, { path: "prepareStep()" });
    const unknown = changes.tools?.find((name) => !toolNames.includes(name));
    if (unknown === undefined) return changes;
    const expected = toolNames.length === 0 ? "There are no tools" : `Expected some of ${joinNames(toolNames, "and")}`;
    const problem = `prepareStep().tools names ${JSON.stringify(unknown.slice(0, 64))}, which is not a tool here`;
    throw new TroupeError("invalid_config", `${problem}. ${expected}.`);
  } catch (error) {
    run.signal.throwIfAborted();
    throw stepFailure(error, index);
  }
}

function stepFailure(thrown: unknown, index: number): TroupeError {
  const place = `prepareStep before model call ${index}`;
  const { code, message, fields } = toTroupeError(thrown, undefined, place);
  const sentence = message.startsWith(`${place} failed: `) ? message : `${place} failed: ${message}`;
  return new WrapperError(code, sentence, { cause: thrown, fields });
}
