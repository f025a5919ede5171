import {
  booleanOption,
  functionOption,
  integerOption,
  methodsOption,
  nonBlankString,
  nonEmptyString,
  numberFrom,
  oneOf,
  optional,
  customOption,
} from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionTable } from "../../base/errors/read-options.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { guardrailsOption } from "../guardrail/guardrail.ts";
import { onBusyOption } from "../../sessions/lock/busy-policy.ts";
import { checkModelSettings, checkReasoning } from "../../model/model-settings.ts";
import { checkLogChoice, logChoiceTable } from "../../base/log/runnable-logger.ts";
import { telemetryOption } from "../../base/telemetry/telemetry.ts";
import { modelOption } from "../../model/model-option.ts";
import { resolveRetryConfig } from "../../base/retry/retry-config.ts";
import { runLimitsOption } from "../run/run-limits.ts";
import { recogniseSchema } from "../../schema/recognise-schema.ts";
import { checkSessionId } from "../../sessions/session/session-id.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import type { AgentConfig } from "./agent-config.ts";
import { hooksOption } from "./hooks.ts";
import { titlesOption } from "./make-title.ts";
import { checkSettingsFit } from "./merge-model-settings.ts";
import { checkAgentTools } from "./agent-tools.ts";

/** Option names of other libraries, each with the agent option that it corresponds to. */
const otherNames = {
  system: "instructions",
  systemPrompt: "instructions",
  system_prompt: "instructions",
  systemMessage: "instructions",
  prompt: "instructions",
  role: "instructions",
  goal: "instructions",
  llm: "model",
  maxSteps: "maxToolRoundtrips",
  maxTurns: "maxToolRoundtrips",
  maxIterations: "maxToolRoundtrips",
  maxIter: "maxToolRoundtrips",
  stopWhen: "maxToolRoundtrips",
  output: "structuredOutput",
  outputType: "structuredOutput",
  outputSchema: "structuredOutput",
  responseFormat: "structuredOutput",
  schema: "structuredOutput",
  maxRetries: "retry",
  maxTokens: "modelOptions",
  topP: "modelOptions",
  toolChoice: "modelOptions",
} satisfies Record<string, keyof AgentConfig>;

const where = { owner: "agent", otherNames };

const optionTable = {
  name: nonBlankString(128),
  description: optional(nonEmptyString),
  model: modelOption,
  instructions: optional(
    customOption<NonNullable<AgentConfig["instructions"]>>(
      "a string, or a function that makes one",
      (value) => typeof value === "string" || typeof value === "function",
    ),
  ),
  tools: optional(checkAgentTools),
  memory: optional(
    methodsOption("a Memory", "addMessages", "getMessages", "getSummaries", "getContextString", "clear"),
  ),
  storage: optional(methodsOption("a storage driver", "get", "set", "delete", "list")),
  sessionId: optional(asConfigured(checkSessionId)),
  userId: optional(asConfigured((userId) => checkOwner({ userId: userId as string }))),
  addHistoryToMessages: optional(booleanOption),
  numHistoryRuns: optional(integerOption(0)),
  maxToolRoundtrips: optional(integerOption(0)),
  maxParallelTools: optional(integerOption(1)),
  prepareStep: optional(functionOption()),
  modelOptions: optional(checkModelSettings),
  temperature: optional(numberFrom(0, 2)),
  structuredOutput: optional((value, name) => {
    recogniseSchema(value, name);
    return value as NonNullable<AgentConfig["structuredOutput"]>;
  }),
  hooks: optional(hooksOption),
  guardrails: optional(guardrailsOption),
  eventBus: optional(methodsOption("an EventBus", "on", "off", "emit", "has")),
  reasoning: optional(checkReasoning),
  userMemory: optional(methodsOption("a UserMemory", "getContextString", "extractAndStore", "clear")),
  ...logChoiceTable,
  telemetry: optional(telemetryOption),
  retry: optional((value) => resolveRetryConfig(value as object)),
  maxContextTokens: optional(integerOption(1)),
  titles: optional(titlesOption),
  limits: optional(runLimitsOption),
  onBusy: optional(onBusyOption),
  onWaiting: optional(oneOf("reject", "cancel")),
  onStorageFailure: optional(oneOf("error", "answer")),
} satisfies OptionTable<AgentConfig>;

/** Checks the configuration of an agent. Throws `invalid_config`, which names the wrong or unknown option. */
export function checkAgentConfig(config: AgentConfig): void {
  if (typeof config !== "object" || config === null) return readAll(config);
  optionTable.name(config.name, "name", where);
  optionTable.model(config.model, "model", where);
  optionTable.instructions(config.instructions, "instructions", where);
  optionTable.tools(config.tools, "tools", where);
  // Programs create thousands of agents, most of them with only the four options that were checked above. Any other
  // option is checked only if it is given.
  for (const name in config) {
    if (name === "name" || name === "model" || name === "instructions" || name === "tools") continue;
    const check = checks.get(name);
    if (check === undefined) return readAll(config);
    check(config[name as keyof AgentConfig], name, where);
  }
  checkCombinations(config);
}

/** Throws for combinations of an agent's options that exclude each other or have no effect. */
function checkCombinations(config: AgentConfig): void {
  checkLogChoice(config);
  if (config.modelOptions !== undefined) checkSettingsFit(config, config.modelOptions);
}

/**
 * Checks a configuration by the whole table of options. Throws for unknown options, and for a value that is not an
 * object.
 */
function readAll(config: unknown): void {
  readOptions(optionTable, config, where);
}

const checks: ReadonlyMap<string, OptionCheck<unknown>> = new Map(Object.entries(optionTable));

/** Makes an option check for configurations out of a check for requests. Its errors are `invalid_config`. */
function asConfigured(check: (value: unknown) => unknown): OptionCheck<string> {
  return (value) => {
    try {
      check(value);
    } catch (error) {
      throw new TroupeError("invalid_config", toTroupeError(error).message);
    }
    return value as string;
  };
}
