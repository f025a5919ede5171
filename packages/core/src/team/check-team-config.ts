import { checkOptionNames } from "../errors/check-option-names.ts";
import { checkCount } from "../errors/check-option.ts";
import { wrongOption } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { createLogger } from "../log/logger.ts";
import { resolveRetryConfig } from "../retry/retry-config.ts";
import { checkRunLimits } from "../run/run-limits.ts";
import { checkBusyPolicy } from "../lock/busy-policy.ts";
import { isBlank } from "../util/is-blank.ts";
import { readProperty } from "../util/read-property.ts";
import { strategies } from "./strategies.ts";
import type { TeamConfig } from "./team-config.ts";

type Check = (value: unknown, option: string) => void;

const longestName = 128;
const busMethods = ["on", "off", "emit", "has"];

const required: { readonly [Option in "name" | "mode" | "model" | "members"]: Check } = {
  name: checkName,
  mode: (value, option) => {
    if (typeof value === "string" && Object.hasOwn(strategies, value)) return;
    throw wrongOption(option, `one of ${Object.keys(strategies).join(", ")}`, value);
  },
  model: (value, option) => {
    const isNamed = ["providerId", "modelId"].every((name) => typeof readProperty(value, name) === "string");
    if (!isNamed || !hasMethods(value, ["generate", "stream"])) {
      throw wrongOption(option, "a model provider, like openai(modelId)", value);
    }
  },
  members: checkMembers,
};

const optional: { readonly [Option in keyof Required<Omit<TeamConfig, keyof typeof required>>]: Check } = {
  description: checkText,
  instructions: checkText,
  maxRounds: (value, option) => void checkCount(value, option, 1),
  storage: checkMethods("a storage driver", ["get", "set", "delete", "list"]),
  eventBus: checkMethods("an EventBus", busMethods),
  logLevel: (value) => void createLogger({ level: value as "silent" }),
  limits: (value, option) => void checkRunLimits(value, option, {}),
  retry: (value) => void resolveRetryConfig(value as object),
  maxContextTokens: (value, option) => void checkCount(value, option, 1),
  numHistoryRuns: (value, option) => void checkCount(value, option),
  onBusy: (value, option) => {
    if (typeof value === "object" && value !== null) checkBusyPolicy(value, { path: "onBusy" });
    else if (value !== "enqueue" && value !== "reject")
      throw wrongOption(option, '"enqueue", "reject" or a policy', value);
  },
  memberSessions: (value, option) => {
    if (value !== "persist") throw wrongOption(option, '"persist", or left out', value);
  },
};

/** Refuses what a team cannot work with, with a sentence that names the option and how to mend it. */
export function checkTeamConfig(config: TeamConfig): void {
  if (typeof config !== "object" || config === null) {
    throw wrongOption("The configuration of a team", "an object", config);
  }
  checkOptionNames(config, [...Object.keys(required), ...Object.keys(optional)], "the configuration of a team");
  for (const [option, check] of Object.entries(required)) check(readProperty(config, option), option);
  for (const [option, check] of Object.entries(optional)) {
    const value = readProperty(config, option);
    if (value !== undefined) check(value, option);
  }
  if (config.maxRounds === undefined || config.mode === "collaborate") return;
  const sentence = `maxRounds is for teams of mode collaborate, and this one is of mode ${config.mode}: leave it out.`;
  throw new TroupeError("invalid_config", sentence);
}

function checkMembers(value: unknown, option: string): void {
  if (!Array.isArray(value)) throw wrongOption(option, "a list of agents, teams or anything else that runs", value);
  if (value.length === 0) throw new TroupeError("invalid_config", "members must have at least one member.");
  const names = new Set<string>();
  // Without holes: a member that is missing is a mistake like any other.
  for (const [index, member] of value.entries()) {
    const name = checkMember(member, `${option}[${index}]`);
    if (names.has(name)) {
      const problem = `There are two members named ${JSON.stringify(name)}: give one of them another name.`;
      throw new TroupeError("invalid_config", problem);
    }
    names.add(name);
  }
}

function checkMember(member: unknown, place: string): string {
  const hasBus = hasMethods(readProperty(member, "eventBus"), busMethods);
  if (!hasBus || !hasMethods(member, ["run", "stream"])) {
    throw wrongOption(place, "an agent, a team or anything else that runs", member);
  }
  return checkName(readProperty(member, "name"), `${place}.name`);
}

function checkName(value: unknown, option: string): string {
  // Half of a character is no name: no key of a session could be made of it.
  const isName = typeof value === "string" && value.length <= longestName && !isBlank(value) && value.isWellFormed();
  if (isName) return value;
  throw wrongOption(option, `a text of 1 to ${longestName} characters that is not blank`, value);
}

function checkText(value: unknown, option: string): void {
  if (typeof value !== "string" || value === "") throw wrongOption(option, "a text that is not empty", value);
}

function checkMethods(what: string, methods: readonly string[]): Check {
  return (value, option) => {
    if (!hasMethods(value, methods)) throw wrongOption(option, `${what} (with ${methods.join(", ")})`, value);
  };
}

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  return methods.every((method) => typeof readProperty(value, method) === "function");
}
