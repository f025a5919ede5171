import { escapePattern } from "./escape-pattern.ts";
import type { Reading } from "./reading.ts";
import { serves, topicsOf } from "./topics.ts";

/**
 * The option that the texts speak of, or whose description in the instructions fits what is asked for; else one that says
 * that nothing is known.
 */
export function pickOption(options: readonly unknown[], { clause, request, known, instructions }: Reading): unknown {
  const isIn = (text: string) => (option: unknown) => mentions(text, String(option));
  const mentioned = [known, clause, request].map((text) => options.find(isIn(text)));
  return mentioned.find((option) => option !== undefined) ?? options.find(fitsTopic) ?? options.find(isUnknown);

  function fitsTopic(option: unknown): boolean {
    const lines = instructions.split("\n").filter(isListed(String(option)));
    return topicsOf(request).some((topic) => serves(topic, String(option), lines.join("\n")) > 0);
  }
}

function isUnknown(option: unknown): boolean {
  return option === "unknown" || option === "none" || option === "other";
}

function mentions(text: string, option: string): boolean {
  return (
    option !== "" && new RegExp(String.raw`(?<![\p{L}\p{N}])${escapePattern(option)}(?![\p{L}\p{N}])`, "iu").test(text)
  );
}

/** Lists give each name with what it stands for, like the members of a team. */
function isListed(option: string): (line: string) => boolean {
  return (line) => line.startsWith(`- ${option}:`);
}
