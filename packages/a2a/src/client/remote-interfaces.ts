import { TroupeError } from "@troupe/core";
import { readObject, readObjects, readText } from "@troupe/core/kit";
import type { A2AVersion } from "../wire/dialect.ts";
import type { AgentCard } from "../card/agent-card.ts";

/** The card of a remote agent as received, with the fields of any A2A version. Only the name is certain to exist. */
export type RemoteAgentCard = { readonly name: string } & { readonly [Name in keyof AgentCard]?: unknown } & {
  readonly [field: string]: unknown;
};

/** An address at which a remote agent can be called, with its binding and version. */
export type RemoteInterface = {
  readonly url: URL;
  readonly binding: "JSONRPC" | "HTTP+JSON";
  readonly version: A2AVersion;
  readonly tenant?: string;
};

/** The largest number of interfaces of a remote agent's card that are tried. */
const mostInterfaces = 8;

/** Reads the body of a remote agent's card. Returns undefined if it is not an object with a name. */
export function readCard(body: unknown): RemoteAgentCard | undefined {
  const card = readObject(body);
  return readText(card["name"]).trim() === "" ? undefined : (card as RemoteAgentCard);
}

/** Returns true if a card declares streaming. */
export function promisesStreams(card: RemoteAgentCard): boolean {
  return readObject(card["capabilities"])["streaming"] === true;
}

/**
 * Returns the interfaces of a card that this client can call, the newest version first, then in the order of the card.
 * The other versions follow at the same addresses, because some cards promise versions that their agents do not speak.
 * Relative addresses start at the address of the card. A card that declares no such interface counts as JSON-RPC 0.3 at
 * `baseUrl`.
 */
export function interfacesOf(card: RemoteAgentCard, cardUrl: URL, baseUrl: URL): RemoteInterface[] {
  const declared = [...declared1(card, cardUrl), ...declared0(card, cardUrl)];
  const named = declared.length > 0 ? declared : [{ url: baseUrl, binding: "JSONRPC", version: "0.3" } as const];
  const sorted = [
    ...named.filter(({ version }) => version === "1.0"),
    ...named.filter(({ version }) => version !== "1.0"),
  ];
  const others = sorted.filter(({ binding }) => binding === "JSONRPC").map(inOtherVersion);
  const all = new Map<string, RemoteInterface>();
  for (const each of [...sorted, ...others]) {
    const url = atTrustedLoopback(each.url, baseUrl);
    const key = [url.href, each.binding, each.version.startsWith("0") ? "0" : "1"].join(" ");
    if (!all.has(key) && all.size < mostInterfaces) all.set(key, { ...each, url });
  }
  return [...all.values()];
}

function inOtherVersion({ url, version, tenant }: RemoteInterface): RemoteInterface {
  return {
    url,
    binding: "JSONRPC",
    version: version === "1.0" ? "0.3" : "1.0",
    ...(tenant !== undefined && { tenant }),
  };
}

function declared1(card: RemoteAgentCard, cardUrl: URL): RemoteInterface[] {
  return readObjects(card["supportedInterfaces"]).flatMap((entry): RemoteInterface[] => {
    const url = readUrl(entry["url"], cardUrl);
    const binding = readText(entry["protocolBinding"]).toUpperCase();
    const version = readVersion(entry["protocolVersion"], "1.0");
    if (url === undefined || version === undefined) return [];
    const tenant = readText(entry["tenant"]);
    const at = { url, version, ...(tenant !== "" && { tenant }) };
    if (binding === "JSONRPC") return [{ ...at, binding }];
    return binding === "HTTP+JSON" && version === "1.0" ? [{ ...at, binding }] : [];
  });
}

function declared0(card: RemoteAgentCard, cardUrl: URL): RemoteInterface[] {
  const version = readVersion(card["protocolVersion"], "0.2");
  const main = { url: card["url"], transport: card["preferredTransport"] };
  return [main, ...readObjects(card["additionalInterfaces"])].flatMap((entry) => {
    const url = readUrl(entry["url"], cardUrl);
    const transport = readText(entry["transport"]).toUpperCase() || "JSONRPC";
    if (url === undefined || transport !== "JSONRPC" || version === undefined) return [];
    return [{ url, binding: "JSONRPC" as const, version }];
  });
}

/**
 * Returns the supported A2A version for a version in a card: `missing` if it is empty, undefined if it is not
 * supported. The patch number is ignored.
 */
function readVersion(value: unknown, missing: A2AVersion): A2AVersion | undefined {
  const text = readText(value).trim();
  if (text === "") return missing;
  if (/^v?1(?:\.|$)/i.test(text)) return "1.0";
  return /^v?0\.[12](?:\.|$)/i.test(text) ? "0.2" : /^v?0\./i.test(text) ? "0.3" : undefined;
}

function readUrl(value: unknown, cardUrl: URL): URL | undefined {
  const text = readText(value).trim();
  const url = text === "" ? null : URL.parse(text, cardUrl.href);
  const isPlain = url !== null && url.username === "" && url.password === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url : undefined;
}

const loopbackHost = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/**
 * Replaces another name of the same machine, such as `0.0.0.0`, by the host of the configured address, if port and
 * scheme agree. Servers on a developer's machine put such names into their cards.
 */
function atTrustedLoopback(url: URL, baseUrl: URL): URL {
  const isSame = url.port === baseUrl.port && url.protocol === baseUrl.protocol;
  if (!isSame || !loopbackHost.test(url.hostname) || !loopbackHost.test(baseUrl.hostname)) return url;
  const own = new URL(url);
  own.hostname = baseUrl.hostname;
  return own;
}

/** Makes the error for a card without an interface that this client can call. */
export function noInterface(agent: string): TroupeError {
  const message = `The card of the remote agent ${JSON.stringify(agent)} names no endpoint that can be called. Expected JSONRPC or HTTP+JSON, in A2A 0.2, 0.3 or 1.0.`;
  return new TroupeError("model_failed", message, { fields: { remote: agent } });
}
