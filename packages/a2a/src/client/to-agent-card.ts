import { readObject, readObjects, readText } from "@troupe/core/kit";
import type { AgentCard, AgentSkill } from "../card/agent-card.ts";
import type { RemoteAgentCard } from "./remote-interfaces.ts";
import type { Fields } from "../wire/field-reader.ts";

/**
 * Returns the card of a remote agent with the fields of every A2A version. Missing or malformed fields are derived from
 * the others, empty, or omitted. Unknown fields are kept.
 */
export function toAgentCard(raw: RemoteAgentCard): AgentCard {
  const { provider, securitySchemes, security, securityRequirements, ...fields } = raw as Fields;
  const main = mainInterfaceOf(raw);
  const capabilities = readObject(raw.capabilities);
  const hasExtendedCard = raw.supportsAuthenticatedExtendedCard === true || capabilities["extendedAgentCard"] === true;
  return {
    ...fields,
    name: raw.name,
    description: readText(raw.description),
    version: readText(raw.version),
    ...main,
    additionalInterfaces: readObjects(raw.additionalInterfaces).flatMap(toInterface0),
    supportedInterfaces: interfaces1Of(raw, main),
    capabilities: {
      ...capabilities,
      streaming: capabilities["streaming"] === true,
      pushNotifications: capabilities["pushNotifications"] === true,
      stateTransitionHistory: capabilities["stateTransitionHistory"] === true,
      extendedAgentCard: hasExtendedCard,
    },
    supportsAuthenticatedExtendedCard: hasExtendedCard,
    defaultInputModes: readTexts(raw.defaultInputModes),
    defaultOutputModes: readTexts(raw.defaultOutputModes),
    skills: readObjects(raw.skills).map(toSkill),
    ...ofProvider(readObject(provider)),
    ...present("securitySchemes", isRecordOfObjects(securitySchemes) ? securitySchemes : undefined),
    ...present("security", Array.isArray(security) ? security.filter(isRecordOfTexts) : undefined),
    ...present("securityRequirements", toRequirements(securityRequirements)),
  };
}

type Interface1 = AgentCard["supportedInterfaces"][number];
type MainInterface = Pick<AgentCard, "url" | "preferredTransport" | "protocolVersion">;

/** Returns the 0.x interface of a card, or else its first 1.0 interface. */
function mainInterfaceOf(raw: RemoteAgentCard): MainInterface {
  const [first] = readObjects(raw.supportedInterfaces).flatMap(toInterface1);
  const url = readText(raw.url);
  if (url === "" && first !== undefined) {
    return { url: first.url, preferredTransport: first.protocolBinding, protocolVersion: first.protocolVersion };
  }
  const protocolVersion = readText(raw.protocolVersion) || "0.2";
  return { url, preferredTransport: readText(raw.preferredTransport) || "JSONRPC", protocolVersion };
}

function interfaces1Of(raw: RemoteAgentCard, main: MainInterface): Interface1[] {
  const declared = readObjects(raw.supportedInterfaces).flatMap(toInterface1);
  if (declared.length > 0 || main.url === "") return declared;
  const { url, preferredTransport: protocolBinding, protocolVersion } = main;
  return [{ url, protocolBinding, protocolVersion }];
}

function toInterface1(entry: Fields): Interface1[] {
  const { url, protocolBinding, protocolVersion } = entry;
  if (typeof url !== "string" || typeof protocolBinding !== "string") return [];
  return [{ ...entry, url, protocolBinding, protocolVersion: readText(protocolVersion) || "1.0" }];
}

function toInterface0(entry: Fields): AgentCard["additionalInterfaces"] {
  const { url, transport } = entry;
  return typeof url === "string" && typeof transport === "string" ? [{ ...entry, url, transport }] : [];
}

function toSkill(skill: Fields): AgentSkill {
  const [id, name, description] = [skill["id"], skill["name"], skill["description"]].map(readText);
  return {
    ...skill,
    id: id || name || "",
    name: name || id || "",
    description: description ?? "",
    tags: readTexts(skill["tags"]),
  };
}

function ofProvider(provider: Fields): Pick<AgentCard, "provider"> {
  const organization = readText(provider["organization"]);
  return organization === "" ? {} : { provider: { ...provider, organization, url: readText(provider["url"]) } };
}

function toRequirements(value: unknown): AgentCard["securityRequirements"] {
  if (!Array.isArray(value)) return undefined;
  return readObjects(value).map(({ schemes }) => {
    const entries = Object.entries(readObject(schemes));
    return {
      schemes: Object.fromEntries(
        entries.map(([name, scopes]) => [name, { list: readTexts(readObject(scopes)["list"]) }]),
      ),
    };
  });
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function isRecordOfObjects(value: unknown): value is Record<string, object> {
  return isRecord(value) && Object.values(value).every(isRecord);
}

function isRecordOfTexts(value: unknown): value is Record<string, string[]> {
  return (
    isRecord(value) &&
    Object.values(value).every((item) => Array.isArray(item) && readTexts(item).length === item.length)
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
