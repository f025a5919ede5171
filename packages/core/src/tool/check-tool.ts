import { checkOptionNames } from "../errors/check-option-names.ts";
import { checkCount, checkDuration } from "../errors/check-option.ts";
import { wrongOption } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { recogniseSchema } from "../schema/recognise-schema.ts";
import { isBlank } from "../util/is-blank.ts";
import { readProperty } from "../util/read-property.ts";
import type { ToolDef, ToolEffect } from "./tool.ts";

/** What every vendor takes as the name of a tool. */
const namePattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const effects: readonly unknown[] = ["pure", "idempotent", "once"] satisfies ToolEffect[];

type Check = (value: unknown, name: string) => void;

const required: { readonly [Option in "name" | "description" | "parameters" | "execute"]: Check } = {
  name: (value) => {
    if (typeof value !== "string" || !namePattern.test(value)) throw wrongName(value);
  },
  description: (value, name) => {
    if (typeof value === "string" && !isBlank(value)) return;
    throw wrongOption(`description of tool "${name}"`, "a text that tells a model what the tool is for", value);
  },
  parameters: (value, name) => void recogniseSchema(value, parametersLabel(name)),
  execute: (value, name) => {
    if (typeof value !== "function") throw wrongOption(`execute of tool "${name}"`, "a function", value);
  },
};

const requiredCount = Object.keys(required).length;

const optional: { readonly [Option in Exclude<keyof ToolDef, keyof typeof required>]: Check } = {
  cache: checkCache,
  timeoutMs: (value, name) => checkTime(value, `timeoutMs of tool "${name}"`),
  maxOutputBytes: (value, name) => void checkCount(value, `maxOutputBytes of tool "${name}"`, 1),
  effect: (value, name) => {
    if (effects.includes(value)) return;
    throw wrongOption(`effect of tool "${name}"`, `one of ${effects.join(", ")}`, value);
  },
};

/** Takes something that can serve as a tool; anything else is refused with what to mend. The schema is not compiled. */
export function checkTool(tool: unknown): asserts tool is ToolDef {
  if (typeof tool !== "object" || tool === null) throw wrongOption("A tool", "an object", tool);
  const { name, description, parameters, execute, cache, timeoutMs, maxOutputBytes, effect } = tool as Partial<ToolDef>;
  required.name(name, "");
  const label = name as string;
  required.description(description, label);
  required.parameters(parameters, label);
  required.execute(execute, label);
  const checked =
    requiredCount +
    check("cache", cache, label) +
    check("timeoutMs", timeoutMs, label) +
    check("maxOutputBytes", maxOutputBytes, label) +
    check("effect", effect, label);
  if (isLiteral(tool) && countFields(tool) !== checked) refuseUnknown(tool, label);
}

/** Checks an option that is given, and counts it. */
function check(option: keyof typeof optional, value: unknown, name: string): number {
  if (value === undefined) return 0;
  optional[option](value, name);
  return 1;
}

/** An instance of somebody's class keeps what it likes in its fields. */
function isLiteral(tool: object): boolean {
  return Object.getPrototypeOf(tool) === Object.prototype;
}

/** Tools are made in masses, with agents: only when there are more fields than known ones are their names looked at. */
function countFields(tool: object): number {
  let count = 0;
  for (const _ in tool) count++;
  return count;
}

/** What errors call the parameters of a tool. */
export function parametersLabel(name: string): string {
  return `parameters of tool "${name}"`;
}

function refuseUnknown(tool: object, name: string): void {
  const known = [...Object.keys(required), ...Object.keys(optional)];
  checkOptionNames(tool, known, `tool "${name}"`);
}

function checkCache(value: unknown, name: string): void {
  if (typeof value !== "object" || value === null) {
    throw wrongOption(`cache of tool "${name}"`, "an object { ttl }, in milliseconds", value);
  }
  checkOptionNames(value, ["ttl"], `cache of tool "${name}"`);
  checkTime(readProperty(value, "ttl"), `cache.ttl of tool "${name}"`);
}

function checkTime(value: unknown, option: string): void {
  if (checkDuration(value, option) === 0) throw wrongOption(option, "a number of milliseconds above 0", value);
}

function wrongName(name: unknown): TroupeError {
  const form = "1 to 64 letters, digits, _ and -, and begin with a letter or _";
  if (typeof name !== "string") return wrongOption("name of a tool", `a text of ${form}`, name);
  const shown = JSON.stringify(name.slice(0, 80));
  return new TroupeError("invalid_config", `name of a tool must have ${form}, but it is ${shown}.`);
}
