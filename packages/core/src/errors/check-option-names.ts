import { TroupeError } from "./troupe-error.ts";

/** Refuses an option that does not exist: it would have no effect, and whoever wrote it would never know. */
export function checkOptionNames(options: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const sentence = `${where} has no option ${JSON.stringify(unknown)}: it takes ${known.join(", ")}.`;
  throw new TroupeError("invalid_config", sentence);
}
