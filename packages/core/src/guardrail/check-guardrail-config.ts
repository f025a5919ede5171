import { wrongOption } from "../errors/read-options.ts";
import { checkOptionNames } from "../errors/check-option-names.ts";
import type { Guardrail } from "./guardrail.ts";

/** The guardrails of an agent: those that its input must pass, and those that its answer must. */
export type GuardrailConfig = { input?: readonly Guardrail[]; output?: readonly Guardrail[] };

/** Refuses guardrails that could not be asked, and options that would have no effect. */
export function checkGuardrailConfig(guardrails: GuardrailConfig | undefined): void {
  if (guardrails === undefined) return;
  if (!isRecord(guardrails))
    throw wrongOption("guardrails", "{ input?, output? }, two lists of guardrails", guardrails);
  checkOptionNames(guardrails, ["input", "output"], "guardrails");
  for (const side of ["input", "output"] as const) checkList(guardrails[side], `guardrails.${side}`);
}

function checkList(list: unknown, option: string): void {
  if (list === undefined) return;
  if (!Array.isArray(list)) throw wrongOption(option, "a list of guardrails", list);
  for (const [index, guardrail] of list.entries()) checkGuardrail(guardrail, `${option}[${index}]`);
}

function checkGuardrail(guardrail: unknown, option: string): void {
  if (!isRecord(guardrail)) throw wrongOption(option, "a guardrail: { name, check, incremental? }", guardrail);
  const { name, check, incremental } = guardrail;
  if (typeof name !== "string" || name.trim() === "")
    throw wrongOption(`${option}.name`, "a text that is not blank", name);
  if (typeof check !== "function") throw wrongOption(`${option}.check`, "a function", check);
  if (incremental !== undefined && typeof incremental !== "boolean") {
    throw wrongOption(`${option}.incremental`, "true or false", incremental);
  }
  if (isLiteral(guardrail)) checkOptionNames(guardrail, ["name", "check", "incremental"], option);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An instance of somebody's class may have fields of its own; in a literal they are mistakes. */
function isLiteral(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}
