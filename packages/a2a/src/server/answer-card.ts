import { TroupeError } from "@troupe/core";
import type { Principal } from "@troupe/core/transport";
import type { Request } from "express";
import { readExtendedCard } from "../card/extended-card.ts";
import type { CardFacts } from "../card/agent-card.ts";
import { A2AError } from "../wire/a2a-error.ts";
import type { Dialect } from "../wire/dialect.ts";
import type { A2ASettings } from "./a2a-server-options.ts";
import { cardFactsOf } from "./card-routes.ts";

/** A client that asks for an extended card: its request, and the agent of the card, none for that of all. */
type CardRequest = {
  readonly settings: A2ASettings;
  readonly request: Request;
  readonly agent: string | undefined;
  readonly principal: Principal | undefined;
  readonly dialect: Dialect;
};

/** Makes the extended card for an authenticated client. Throws the error of the client's version where there is none. */
export async function makeExtendedCard({ settings, request, ...asked }: CardRequest): Promise<CardFacts> {
  const { extendedCard } = settings;
  const { agent, principal, dialect } = asked;
  if (extendedCard === undefined) {
    throw new A2AError(dialect.noExtendedCard, "This agent has no extended card. Its public card tells all.");
  }
  if (principal === undefined) {
    throw new TroupeError("unauthorized", "The extended card is for clients that have authenticated themselves.");
  }
  const facts = cardFactsOf(settings, request, agent);
  if (facts === undefined) throw new A2AError("invalid-params", "tenant must be an agent of the agent card.");
  const { name, description, version, skills } = facts;
  const shown = { name, description, version, skills: structuredClone(skills) };
  const content = readExtendedCard(await extendedCard(request, { ...shown, ...(agent !== undefined && { agent }) }));
  if (content !== undefined) return { ...facts, ...content };
  throw new A2AError("extended-card-not-configured", "There is no extended card for this client.");
}
