import { arrayOf, nested, nonBlankString, optional, readOptions, satisfying, wrongOption } from "@troupe/core/kit";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";
import type { Request } from "express";
import type { AgentSkill } from "./agent-card.ts";

/** The part of a card that is about its agents. */
export type CardContent = { name: string; description: string; version: string; skills: AgentSkill[] };

/**
 * The server's option `extendedCard`: returns what the card of an authenticated client says in place of the public one, which it
 * is given; undefined for a client that has none. `agent` is the agent of the card, and absent for the card of all.
 */
export type A2AExtendedCard = (
  request: Request,
  card: CardContent & { agent?: string },
) => Partial<CardContent> | undefined | Promise<Partial<CardContent> | undefined>;

const skill: OptionCheck<AgentSkill> = nested({
  id: nonBlankString(),
  name: nonBlankString(),
  description: nonBlankString(),
  tags: satisfying<string[]>(
    "an array of at least one string",
    (value) => Array.isArray(value) && value.length > 0 && value.every((tag) => typeof tag === "string"),
  ),
});

const skills: OptionCheck<AgentSkill[]> = (value, name, where) => {
  const read = arrayOf("skills", skill)(value, name, where);
  if (read.length > 0) return read;
  throw wrongOption({ ...where, name }, "an array of at least one skill", value);
};

const table = {
  name: optional(nonBlankString()),
  description: optional(nonBlankString()),
  version: optional(nonBlankString()),
  skills: optional(skills),
} satisfies OptionTable<Partial<CardContent>>;

/** Checks what the option `extendedCard` returned. Wrong content is `invalid_config`: the mistake is the host's. */
export function readExtendedCard(content: unknown): Partial<CardContent> | undefined {
  return content === undefined ? undefined : readOptions(table, content, { path: "extendedCard(request, card)" });
}
