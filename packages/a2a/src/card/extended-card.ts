import { arrayOf, nested, nonBlankString, optional, readOptions, customOption, wrongOption } from "@troupe/core/kit";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";
import type { ServiceRequest } from "@troupe/core/service";
import type { AgentSkill } from "./agent-card.ts";

/** The part of an agent card that describes its agents. */
export type AgentCardContent = { name: string; description: string; version: string; skills: AgentSkill[] };

/**
 * The option `extendedCard`. Receives the public card and returns the content that an authenticated client
 * gets instead; undefined for a client without an extended card. `agent` is the agent of the card, absent for the card
 * of all agents.
 */
export type A2AExtendedCard = (
  request: ServiceRequest,
  card: AgentCardContent & { agent?: string },
) => Partial<AgentCardContent> | undefined | Promise<Partial<AgentCardContent> | undefined>;

const skill: OptionCheck<AgentSkill> = nested({
  id: nonBlankString(),
  name: nonBlankString(),
  description: nonBlankString(),
  tags: customOption<string[]>(
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
} satisfies OptionTable<Partial<AgentCardContent>>;

/**
 * Checks the return value of the option `extendedCard`. Wrong content is `invalid_config`, because the mistake is in
 * the host's code.
 */
export function readExtendedCard(content: unknown): Partial<AgentCardContent> | undefined {
  return content === undefined ? undefined : readOptions(table, content, { path: "extendedCard(request, card)" });
}
