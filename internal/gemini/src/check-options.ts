import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { checkApiKey, getOwn, wrongOption } from "@troupe/core/adapter";

/** What is asked of the value of each option. */
export type Checks<Name extends string = string> = Readonly<Record<Name, (value: unknown) => unknown>>;

/** What is asked of the options that are everywhere the same. */
export const commonChecks: Checks<"apiKey" | "baseURL" | "logger"> = {
  apiKey: (value) => checkApiKey(value, "apiKey of the provider's options", "invalid_config"),
  baseURL: checkBaseUrl,
  logger: checkLogger,
};

/** Checks each field that is given; an unknown name is wrong, too. `where` names what holds them. */
export function checkFields(fields: unknown, checks: Checks, where: string): void {
  if (typeof fields !== "object" || fields === null) throw wrongOption(where, "an object", fields);
  for (const [name, value] of Object.entries(fields)) {
    const check = getOwn(checks, name);
    if (check === undefined) {
      const known = Object.keys(checks).join(", ");
      throw new TroupeError("invalid_config", `${where} must not hold ${name}; they are ${known}.`);
    }
    if (value !== undefined) check(value);
  }
}

/** Takes the name of a model, which becomes part of an address. */
export function checkModelId(value: unknown, option: string): void {
  if (typeof value === "string" && /^[\w@-][\w./:@-]*$/.test(value) && !value.includes("..")) return;
  throw wrongOption(option, "the id of a model", value);
}

/** A check that the value is one of these. */
export function oneOf(option: string, values: readonly unknown[]): (value: unknown) => void {
  const expected = values.map((each) => JSON.stringify(each)).join(" or ");
  return (value) => {
    if (!values.includes(value)) throw wrongOption(option, expected, value);
  };
}

function checkBaseUrl(value: unknown): void {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (isWeb && [url.username, url.password, url.search, url.hash].every((part) => part === "")) return;
  throw wrongOption("baseURL", "an http: or https: address without credentials, query or fragment", value);
}

function checkLogger(value: unknown): void {
  const debug = typeof value === "object" && value !== null ? (value as Partial<Logger>).debug : undefined;
  if (typeof debug !== "function") throw wrongOption("logger", "a logger, as createLogger makes it", value);
}
