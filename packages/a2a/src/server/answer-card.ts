import { TroupeError } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";
import { readExtendedCard } from "../card/extended-card.ts";
import type { CardFacts } from "../card/agent-card.ts";
import { A2AError } from "../wire/a2a-error.ts";
import type { Dialect } from "../wire/dialect.ts";
import type { A2AParts } from "./a2a-parts.ts";
import { cardFactsOf } from "./card-routes.ts";

/** A request for an extended card. `agent` is the agent of the card, absent for the card of all agents. */
type CardRequest = {
  readonly parts: A2AParts;
  readonly exchange: Exchange;
  readonly agent: string | undefined;
  readonly dialect: Dialect;
};

/**
 * Makes the facts of the extended card for an authenticated client. Throws `unauthorized` if no user is signed in, and
 * an `A2AError` if the service, the agent or this client has no extended card.
 */
export async function makeExtendedCard({ parts, exchange, agent, dialect }: CardRequest): Promise<CardFacts> {
  const { extendedCard } = parts.settings;
  if (extendedCard === undefined) {
    throw new A2AError(dialect.noExtendedCard, "This agent has no extended card. Its public card tells all.");
  }
  if (exchange.principal === undefined) {
    throw new TroupeError("unauthorized", "The extended card is for clients that have authenticated themselves.");
  }
  const facts = cardFactsOf(parts, exchange, agent);
  if (facts === undefined) throw new A2AError("invalid-params", "tenant must be an agent of the agent card.");
  const { name, description, version, skills } = facts;
  const shown = { name, description, version, skills: structuredClone(skills) };
  const card = { ...shown, ...(agent !== undefined && { agent }) };
  const content = readExtendedCard(await extendedCard(exchange.toRequest(), card));
  if (content !== undefined) return { ...facts, ...content };
  throw new A2AError("extended-card-not-configured", "There is no extended card for this client.");
}
