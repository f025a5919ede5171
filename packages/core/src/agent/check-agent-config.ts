import { checkOptionNames } from "../errors/check-option-names.ts";
import { checkCount } from "../errors/check-option.ts";
import { wrongOption } from "../errors/read-options.ts";
import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { checkGuardrailConfig } from "../guardrail/check-guardrail-config.ts";
import { createLogger } from "../log/logger.ts";
import { resolveRetryConfig } from "../retry/retry-config.ts";
import { checkRunLimits } from "../run/check-run-limits.ts";
import { recogniseSchema } from "../schema/recognise-schema.ts";
import { checkSessionId } from "../session/session-id.ts";
import { checkBusyPolicy } from "../lock/busy-policy.ts";
import { checkOwner } from "../session/session-owner.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import { isBlank } from "../util/is-blank.ts";
import { readProperty } from "../util/read-property.ts";
import type { AgentConfig } from "./agent-config.ts";
import { checkAgentTools } from "./agent-tools.ts";

type Check = (value: unknown, option: string) => void;

const longestName = 128;
const hookNames = ["beforeRun", "afterRun", "onToolCall", "onError"];
const efforts: readonly unknown[] = ["low", "medium", "high", undefined];

const checks: { readonly [Option in keyof Required<AgentConfig>]: Check } = {
  name: (value, option) => {
    if (typeof value === "string" && value.length <= longestName && !isBlank(value)) return;
    throw wrongOption(option, `a text of 1 to ${longestName} characters that is not blank`, value);
  },
  description: checkText,
  model: (value, option) => {
    if (!isModel(value)) throw wrongOption(option, "a model provider, like openai(modelId)", value);
  },
  instructions: (value, option) => {
    if (typeof value !== "function" && typeof value !== "string") {
      throw wrongOption(option, "a text, or a function that makes one", value);
    }
  },
  tools: checkAgentTools,
  memory: checkMethods("a Memory", "addMessages", "recall", "bindStorage"),
  storage: checkMethods("a storage driver", "get", "set", "delete", "list"),
  sessionId: asConfigured(checkSessionId),
  userId: asConfigured((userId) => checkOwner({ userId: userId as string })),
  addHistoryToMessages: checkFlag,
  numHistoryRuns: (value, option) => void checkCount(value, option),
  maxToolRoundtrips: (value, option) => void checkCount(value, option),
  temperature: (value, option) => {
    if (typeof value !== "number" || !(value >= 0 && value <= 2))
      throw wrongOption(option, "a number from 0 to 2", value);
  },
  structuredOutput: (value, option) => void recogniseSchema(value, option),
  hooks: checkHooks,
  guardrails: (value) => checkGuardrailConfig(value as AgentConfig["guardrails"]),
  eventBus: checkMethods("an EventBus", "on", "off", "emit", "has"),
  reasoning: checkReasoning,
  userMemory: checkMethods("a UserMemory", "getContextString", "extractAndStore", "bindStorage"),
  logLevel: (value) => void createLogger({ level: value as "silent" }),
  retry: (value) => void resolveRetryConfig(value as object),
  maxContextTokens: (value, option) => void checkCount(value, option, 1),
  limits: (value) => void checkRunLimits(value),
  onBusy: (value, option) => {
    if (typeof value === "object" && value !== null) checkBusyPolicy(value, { path: "onBusy" });
    else if (value !== "enqueue" && value !== "reject")
      throw wrongOption(option, '"enqueue", "reject" or a policy', value);
  },
};

/** Refuses what an agent cannot work with, with a sentence that names the option and how to mend it. */
export function checkAgentConfig(config: AgentConfig): void {
  if (typeof config !== "object" || config === null) {
    throw wrongOption("The configuration of an agent", "an object", config);
  }
  checks.name(config.name, "name");
  checks.model(config.model, "model");
  // Agents are made in masses: their options are read by name, and only when there are more are their names looked at.
  const checked = 2 + checkTask(config) + checkPast(config) + checkLimits(config) + checkParts(config);
  let given = 0;
  for (const _ in config) given++;
  if (given !== checked) checkOptionNames(config, Object.keys(checks), "the configuration of an agent");
}

function checkTask({
  description,
  instructions,
  tools,
  temperature,
  structuredOutput,
  reasoning,
}: AgentConfig): number {
  return (
    check(description, "description") +
    check(instructions, "instructions") +
    check(tools, "tools") +
    check(temperature, "temperature") +
    check(structuredOutput, "structuredOutput") +
    check(reasoning, "reasoning")
  );
}

function checkPast(config: AgentConfig): number {
  const { memory, storage, sessionId, userId, addHistoryToMessages, numHistoryRuns, userMemory } = config;
  return (
    check(memory, "memory") +
    check(storage, "storage") +
    check(sessionId, "sessionId") +
    check(userId, "userId") +
    check(addHistoryToMessages, "addHistoryToMessages") +
    check(numHistoryRuns, "numHistoryRuns") +
    check(userMemory, "userMemory")
  );
}

function checkLimits({ maxToolRoundtrips, retry, maxContextTokens, limits, onBusy }: AgentConfig): number {
  return (
    check(maxToolRoundtrips, "maxToolRoundtrips") +
    check(retry, "retry") +
    check(maxContextTokens, "maxContextTokens") +
    check(limits, "limits") +
    check(onBusy, "onBusy")
  );
}

function checkParts({ hooks, guardrails, eventBus, logLevel }: AgentConfig): number {
  return (
    check(hooks, "hooks") + check(guardrails, "guardrails") + check(eventBus, "eventBus") + check(logLevel, "logLevel")
  );
}

/** Checks an option that is given, and counts it. */
function check(value: unknown, option: keyof AgentConfig): number {
  if (value === undefined) return 0;
  checks[option](value, option);
  return 1;
}

/** What would be wrong in a request is wrong in a configuration. */
function asConfigured(accept: (value: unknown) => unknown): Check {
  return (value) => {
    try {
      accept(value);
    } catch (error) {
      throw new TroupeError("invalid_config", toTroupeError(error).message);
    }
  };
}

function isModel(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { providerId, modelId, generate, stream } = value as Partial<ModelProvider>;
  const isNamed = typeof providerId === "string" && typeof modelId === "string";
  return isNamed && typeof generate === "function" && typeof stream === "function";
}

function checkText(value: unknown, option: string): void {
  if (typeof value !== "string" || value === "") throw wrongOption(option, "a text that is not empty", value);
}

function checkFlag(value: unknown, option: string): void {
  if (typeof value !== "boolean") throw wrongOption(option, "true or false", value);
}

function checkMethods(what: string, ...methods: string[]): Check {
  return (value, option) => {
    if (methods.every((method) => typeof readProperty(value, method) === "function")) return;
    throw wrongOption(option, `${what} (with ${methods.join(", ")})`, value);
  };
}

function checkHooks(value: unknown, option: string): void {
  if (typeof value !== "object" || value === null) throw wrongOption(option, "an object", value);
  // An instance of somebody's class keeps what it likes in its fields; in a literal they are mistakes.
  if (Object.getPrototypeOf(value) === Object.prototype) checkOptionNames(value, hookNames, option);
  for (const name of hookNames) {
    const hook = readProperty(value, name);
    if (hook !== undefined && typeof hook !== "function") throw wrongOption(`${option}.${name}`, "a function", hook);
  }
}

function checkReasoning(value: unknown, option: string): void {
  if (typeof value !== "object" || value === null) throw wrongOption(option, "an object", value);
  checkOptionNames(value, ["enabled", "effort", "budgetTokens"], option);
  const { enabled, effort, budgetTokens } = value as Record<string, unknown>;
  checkFlag(enabled, `${option}.enabled`);
  if (!efforts.includes(effort)) throw wrongOption(`${option}.effort`, '"low", "medium" or "high"', effort);
  if (budgetTokens !== undefined) checkCount(budgetTokens, `${option}.budgetTokens`, 1);
}
