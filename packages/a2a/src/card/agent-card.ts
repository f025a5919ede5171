import { TroupeError } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import { baseUrlOption } from "@troupe/core/kit";
import { registryEntries } from "@troupe/core/transport";
import type { Registry } from "@troupe/core/transport";
import { toScheme0, toScheme1 } from "./security-schemes.ts";
import type { CardSecurity } from "./security-schemes.ts";

/**
 * The organization that offers the agents. Agent cards require its `url`. @default of `url`: the origin of the agents'
 * address
 */
export type AgentProvider = { organization: string; url?: string | undefined };

/** The fields of a runnable that an agent card describes. */
export type AgentDescription = Pick<Runnable, "name" | "description" | "kind">;

/** A skill of an agent, as agent cards list it. */
export type AgentSkill = { id: string; name: string; description: string; tags: string[] };

/** The fields that agent cards of all versions share. */
type SharedCard = {
  name: string;
  description: string;
  version: string;
  provider?: { organization: string; url: string };
  defaultInputModes: string[];
  defaultOutputModes: string[];
  skills: AgentSkill[];
  securitySchemes?: Record<string, object>;
};

/** The fields of an agent card that exist only in A2A 1.0. */
type Card1Fields = {
  supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string }[];
  securityRequirements?: { schemes: Record<string, { list: string[] }> }[];
};

/** An agent card of A2A 1.0 only. */
export type AgentCard1 = SharedCard &
  Card1Fields & { capabilities: { streaming: boolean; pushNotifications: boolean; extendedAgentCard: boolean } };

/**
 * The card of an agent, or of several agents at one address. It has the fields of A2A 0.2, 0.3 and 1.0, so clients of
 * each version find theirs.
 */
export type AgentCard = SharedCard &
  Card1Fields & {
    protocolVersion: string;
    url: string;
    preferredTransport: string;
    additionalInterfaces: { url: string; transport: string }[];
    capabilities: {
      streaming: boolean;
      pushNotifications: boolean;
      stateTransitionHistory: boolean;
      extendedAgentCard: boolean;
    };
    supportsAuthenticatedExtendedCard: boolean;
    security?: Record<string, string[]>[];
  };

/** The facts from which an agent card is made. `url` is the address of the JSON-RPC endpoint. */
export type CardFacts = CardSecurity & {
  name: string;
  description: string;
  url: string;
  version: string;
  provider?: AgentProvider | undefined;
  skills: AgentSkill[];
  /** True if authenticated clients may get an extended card. @default false */
  hasExtendedCard?: boolean;
  /** True if the server sends push notifications. @default false */
  pushNotifications?: boolean;
};

const defaultVersion = "1.0.0";

function capabilitiesOf({ hasExtendedCard: extendedAgentCard = false, pushNotifications = false }: CardFacts) {
  return { streaming: true, pushNotifications, extendedAgentCard };
}

function sharedFields({ name, description, url, version, provider, skills }: CardFacts) {
  return {
    name,
    description,
    version,
    ...(provider && { provider: { organization: provider.organization, url: provider.url ?? new URL(url).origin } }),
    defaultInputModes: ["text/plain", "application/json", "image/*", "audio/*"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills,
  };
}

function fieldsOf1({ url, security }: CardFacts): Card1Fields {
  const supportedInterfaces: Card1Fields["supportedInterfaces"] = [
    { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: `${url.replace(/\/$/, "")}/rest`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
  ];
  if (security === undefined) return { supportedInterfaces };
  const securityRequirements = security.map((requirement) => {
    const entries = Object.entries(requirement).map(([scheme, list]) => [scheme, { list: [...list] }]);
    return { schemes: Object.fromEntries(entries) as Record<string, { list: string[] }> };
  });
  return { supportedInterfaces, securityRequirements };
}

function schemesOf({ securitySchemes }: CardFacts, write: typeof toScheme1): Pick<SharedCard, "securitySchemes"> {
  if (securitySchemes === undefined) return {};
  const entries = Object.entries(securitySchemes).map(([name, scheme]) => [name, write(scheme)]);
  return { securitySchemes: Object.fromEntries(entries) as Record<string, object> };
}

/** Makes a card with the fields of A2A 1.0 only, for clients that reject unknown fields. */
export function makeCard1(facts: CardFacts): AgentCard1 {
  return {
    ...sharedFields(facts),
    ...fieldsOf1(facts),
    capabilities: capabilitiesOf(facts),
    ...schemesOf(facts, toScheme1),
  };
}

/**
 * Makes a card for clients of any version. A security scheme has the fields of 0.x and the member of 1.0 side by side:
 * clients of each version read only their own.
 */
export function makeCard(facts: CardFacts): AgentCard {
  const { url, security, hasExtendedCard = false } = facts;
  return {
    protocolVersion: "0.3.0",
    ...sharedFields(facts),
    url,
    preferredTransport: "JSONRPC",
    additionalInterfaces: [{ url, transport: "JSONRPC" }],
    ...fieldsOf1(facts),
    capabilities: { ...capabilitiesOf(facts), stateTransitionHistory: false },
    supportsAuthenticatedExtendedCard: hasExtendedCard,
    ...schemesOf(facts, (scheme) => ({ ...toScheme0(scheme), ...toScheme1(scheme) })),
    ...(security && {
      security: security.map((requirement) =>
        Object.fromEntries(Object.entries(requirement).map(([scheme, scopes]) => [scheme, [...scopes]])),
      ),
    }),
  };
}

/** Returns the facts for the card of a single agent, which is also its only skill. */
export function describeAgent(
  agent: AgentDescription,
  name = agent.name,
): Pick<CardFacts, "name" | "description" | "skills"> {
  const skill = skillOf(agent, name);
  return { name, description: skill.description, skills: [skill] };
}

/**
 * Returns the facts for the card of several agents. Each agent is a skill with its name as the id. Throws
 * `invalid_config` for no agents.
 */
export function describeAgents(
  agents: readonly (readonly [name: string, agent: AgentDescription])[],
  provider?: AgentProvider,
): Pick<CardFacts, "name" | "description" | "skills"> {
  const [first, second] = agents;
  if (first === undefined) throw new TroupeError("invalid_config", "A card needs at least one agent.");
  if (second === undefined) return describeAgent(first[1], first[0]);
  const names = agents.map(([name]) => name).join(", ");
  const name = provider === undefined ? "Agents" : `Agents of ${provider.organization}`;
  const description = `Agents at one address: ${names}. A client names one as the tenant or as "agent" in the metadata of its message; else ${first[0]} answers.`;
  return { name, description, skills: agents.map(([id, agent]) => skillOf(agent, id)) };
}

function skillOf({ kind, description }: AgentDescription, name: string): AgentSkill {
  return { id: name, name, description: description?.trim() || `Agent ${name}.`, tags: [kind] };
}

/** Makes the card of one agent, for clients of any version. `baseUrl` is the address of its JSON-RPC endpoint. */
export function generateAgentCard(agent: AgentDescription, baseUrl: string, provider?: AgentProvider): AgentCard {
  return makeCard({ ...describeAgent(agent), url: readCardUrl(baseUrl), version: defaultVersion, provider });
}

/**
 * Makes the card of several agents behind the JSON-RPC endpoint at `baseUrl`. Each agent is a skill under its name in
 * `agents`. Throws `invalid_config` if there are no agents or `baseUrl` is wrong.
 */
export function generateMultiAgentCard(
  agents: Registry<AgentDescription>,
  baseUrl: string,
  provider?: AgentProvider,
): AgentCard {
  const facts = describeAgents(registryEntries(agents), provider);
  return makeCard({ ...facts, url: readCardUrl(baseUrl), version: defaultVersion, provider });
}

/**
 * Returns an address for an agent card. Throws `invalid_config` unless it is an http(s) address without credentials,
 * query and fragment. A slash at its end is removed.
 */
function readCardUrl(baseUrl: string): string {
  return baseUrlOption(baseUrl, "baseUrl", {});
}
