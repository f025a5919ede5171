import { joinNames } from "./read-options.ts";
import { TroupeError } from "./troupe-error.ts";

/** Throws for an option that does not exist and would have no effect. */
export function checkOptionNames(options: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const sentence = `Unknown option ${JSON.stringify(unknown.slice(0, 64))} of ${where}. Expected ${joinNames(known, "or")}.`;
  throw new TroupeError("invalid_config", sentence);
}
