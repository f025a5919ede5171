import {
  booleanOption,
  stringOption,
  integerOption,
  methodsOption,
  nonEmptyString,
  oneOf,
  optional,
  customOption,
} from "../../base/errors/option-checks.ts";
import { readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { hooksOption } from "../agent/hooks.ts";
import { titlesOption } from "../agent/make-title.ts";
import { onBusyOption } from "../../sessions/lock/busy-policy.ts";
import type { ModelSettings } from "../../model/model-config.ts";
import { checkModelSettings } from "../../model/model-settings.ts";
import { checkLogChoice, logChoiceTable } from "../../base/log/runnable-logger.ts";
import { telemetryOption } from "../../base/telemetry/telemetry.ts";
import { modelOption } from "../../model/model-option.ts";
import { resolveRetryConfig } from "../../base/retry/retry-config.ts";
import { runLimitsOption } from "../run/run-limits.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { Runnable } from "../run/runnable.ts";
import { isBlank } from "../../base/util/is-blank.ts";
import { teamStrategies } from "./strategies.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";

const longestName = 128;
const busMethods = ["on", "off", "emit", "has"] as const;

// The name of a team or member must be well-formed, because session keys contain it.
const checkName = customOption<string>(
  `a well-formed string of 1 to ${longestName} characters that is not blank`,
  (value) => typeof value === "string" && value.length <= longestName && !isBlank(value) && value.isWellFormed(),
);

const checkEventBus = methodsOption<NonNullable<TeamConfig["eventBus"]>>("an EventBus", ...busMethods);
const checkRunnable = methodsOption<Runnable>("an agent, a team or another runnable", "run", "stream");

/** Option names of other libraries, each with the team option that it corresponds to. */
const otherNames = {
  agents: "members",
  system: "instructions",
  systemPrompt: "instructions",
  prompt: "instructions",
  llm: "model",
  process: "mode",
  strategy: "mode",
  maxTurns: "maxRounds",
  maxSteps: "maxRounds",
} satisfies Record<string, keyof TeamConfig>;

const optionTable = {
  name: checkName,
  mode: oneOf(...(Object.keys(teamStrategies) as TeamMode[])),
  model: modelOption,
  members: checkMembers,
  description: optional(nonEmptyString),
  instructions: optional(stringOption),
  modelOptions: optional(checkModelSettings),
  maxRounds: optional(integerOption(1)),
  storage: optional(methodsOption("a storage driver", "get", "set", "delete", "list")),
  eventBus: optional(checkEventBus),
  ...logChoiceTable,
  titles: optional(titlesOption),
  limits: optional(runLimitsOption),
  telemetry: optional(telemetryOption),
  retry: optional((value) => resolveRetryConfig(value as object)),
  maxContextTokens: optional(integerOption(1)),
  numHistoryRuns: optional(integerOption(0)),
  onBusy: optional(onBusyOption),
  onWaiting: optional(oneOf("reject", "cancel")),
  onStorageFailure: optional(oneOf("error", "answer")),
  memberSessions: optional(oneOf("persist")),
  streamMembers: optional(booleanOption),
  hooks: optional(hooksOption),
} satisfies OptionTable<TeamConfig>;

/** Checks the configuration of a team. Throws `invalid_config`, which names the wrong or unknown option. */
export function checkTeamConfig(config: TeamConfig): void {
  readOptions(optionTable, config, { owner: "team", otherNames });
  checkLogChoice(config);
  if (config.modelOptions !== undefined) checkTeamSettings(config.mode, config.modelOptions);
  if (config.maxRounds === undefined || config.mode === "collaborate") return;
  throw new TroupeError(
    "invalid_config",
    `maxRounds must be left out of a team of mode ${config.mode}. It is for mode collaborate only.`,
  );
}

/** Throws for model settings that can have no effect in a team of this mode. */
export function checkTeamSettings(
  mode: TeamMode,
  { toolChoice, parallelToolCalls, responseFormat }: ModelSettings,
  code: "invalid_config" | "invalid_request" = "invalid_config",
): void {
  const ofTools = toolChoice === undefined ? parallelToolCalls : toolChoice;
  if (ofTools !== undefined && mode !== "coordinate") {
    const name = toolChoice === undefined ? "parallelToolCalls" : "toolChoice";
    const problem = `modelOptions.${name} must be left out of a team of mode ${mode}.`;
    throw new TroupeError(code, `${problem} It is for mode coordinate only, whose orchestrator calls tools.`);
  }
  if (responseFormat === undefined || mode !== "route") return;
  const problem = "modelOptions.responseFormat must be left out of a team of mode route.";
  throw new TroupeError(code, `${problem} A member answers: give it to the members.`);
}

/** Throws if a run of a team is given tools: a team's orchestrator has only its delegations as tools. */
export function refuseTools({ tools, additions }: RunOpts): void {
  if (additions?.clientTools !== undefined || additions?.outputSchema !== undefined) {
    const name = additions.clientTools === undefined ? "outputSchema" : "clientTools";
    const message = `additions.${name} must be left out of a run of a team, whose orchestrator has neither. Ask an agent.`;
    throw new TroupeError("invalid_request", message, { fields: { field: `additions.${name}` } });
  }
  if (tools === undefined) return;
  const problem = "tools must be left out of a run of a team, which has no tools of its own.";
  throw new TroupeError("invalid_request", `${problem} Give them to its members.`);
}

function checkMembers(...[value, name, where]: Parameters<OptionCheck<unknown>>): Runnable[] {
  if (!Array.isArray(value)) throw wrongOption(name, "an array of agents, teams or other runnables", value);
  if (value.length === 0) throw new TroupeError("invalid_config", "members must have at least one member.");
  const names = new Set<string>();
  // Array holes become undefined, so that a missing member is an error too.
  const members = Array.from(value, (member: unknown, index) => checkMember(member, `${name}[${index}]`, where));
  for (const member of members) {
    if (names.has(member.name)) {
      const problem = `There are two members named ${JSON.stringify(member.name)}. Give one of them another name.`;
      throw new TroupeError("invalid_config", problem);
    }
    names.add(member.name);
  }
  return members;
}

const checkMember: OptionCheck<Runnable> = (value, name, where) => {
  const member = checkRunnable(value, name, where);
  checkEventBus(member.eventBus, `${name}.eventBus`, where);
  checkName(member.name, `${name}.name`, where);
  return member;
};
