import { hash } from "node:crypto";
import { TroupeError } from "@troupe/core";
import { readRequestHost } from "@troupe/core/transport";
import type { Exchange, Route, RouteHandler } from "@troupe/core/transport";
import { describeAgent, describeAgents, makeCard, makeCard1 } from "../card/agent-card.ts";
import type { CardFacts } from "../card/agent-card.ts";
import type { PushSender } from "../push/push-sender.ts";
import { readVersion } from "../wire/parse-call.ts";
import type { A2ASettings } from "./a2a-options.ts";
import type { A2AParts } from "./a2a-parts.ts";

/** The `Last-Modified` time of all cards of this process. */
const madeAt = new Date().toUTCString();

/** Makes the routes of the agent cards below a path: the card of all agents, and the card of each agent. */
export function cardRoutes(parts: A2AParts, path: string, serves: NonNullable<Route["serves"]>): Route[] {
  const shared: RouteHandler = (exchange) => sendCard(parts, exchange, false);
  return [
    { path: `${path}/.well-known/agent.json`, get: shared, isPublic: true, serves },
    { path: `${path}/.well-known/agent-card.json`, get: cardHandler(parts), isPublic: true, serves },
  ];
}

/** Makes the handler that sends the agent card at the request's path, in the version that the client asks for. */
export function cardHandler(parts: A2AParts): RouteHandler {
  return (exchange) => sendCard(parts, exchange, asksFor1(exchange, parts.settings));
}

/** Makes the route of the public keys that verify push notifications. */
export function keysRoute(push: Promise<PushSender>): Route {
  const get: RouteHandler = async (exchange) => {
    const json = JSON.stringify((await push).signer.keySet);
    exchange.setHeader("Access-Control-Allow-Origin", "*").setHeader("Cache-Control", "public, max-age=300");
    exchange.send(200, { "Content-Type": "application/jwk-set+json", "Content-Length": Buffer.byteLength(json) }, json);
  };
  return { path: "/.well-known/jwks.json", get, isPublic: true };
}

function sendCard(parts: A2AParts, exchange: Exchange, is1: boolean): void {
  const facts = cardFactsOf(parts, exchange, exchange.params["agent"]);
  if (facts === undefined) throw new TroupeError("not_found", "There is no agent of this name.");
  const json = JSON.stringify(is1 ? makeCard1(facts) : makeCard(facts));
  const tag = `"${hash("sha256", json, "base64url").slice(0, 27)}"`;
  const { baseUrl } = parts.settings;
  exchange.setHeader("ETag", tag).setHeader("Last-Modified", madeAt).setHeader("Access-Control-Allow-Origin", "*");
  // Without `baseUrl`, the card depends on the address that the client used.
  exchange.setHeader("Vary", baseUrl === undefined ? `Host, ${asking}` : asking);
  exchange.setHeader("Cache-Control", baseUrl === undefined ? "private, max-age=300" : "public, max-age=3600");
  if (isKnown(tag, exchange.headers["if-none-match"])) return exchange.sendEmpty(304);
  exchange.send(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json) }, json);
}

/**
 * Returns true if the client's If-None-Match header contains the tag of the card. The header is `*` or a list of tags,
 * some of them weak.
 */
function isKnown(tag: string, header = ""): boolean {
  const tags = header.split(",").map((each) => each.trim());
  return header.trim() === "*" || tags.includes(tag) || tags.includes(`W/${tag}`);
}

/** Returns the facts for the card of all agents, or of the named agent. Undefined for an unknown agent. */
export function cardFactsOf(parts: A2AParts, exchange: Exchange, name: string | undefined): CardFacts | undefined {
  const { runs, push, settings } = parts;
  const { provider, version, securitySchemes, security, extendedCard } = settings;
  const has = { hasExtendedCard: extendedCard !== undefined, pushNotifications: push !== undefined };
  const shared = { version, provider, securitySchemes, security, ...has };
  const url = urlOf(settings, exchange);
  if (name === undefined) return { ...describeAgents([...runs.agents], provider), ...shared, url };
  const agent = runs.agents.get(name);
  const path = `${url.replace(/\/$/, "")}/agents/${encodeURIComponent(name)}`;
  return agent && { ...describeAgent(agent, name), ...shared, url: path };
}

function urlOf({ baseUrl, basePath }: A2ASettings, exchange: Exchange): string {
  const host = readRequestHost(exchange.url, exchange.headers.host)?.text ?? "localhost";
  const protocol = exchange.isSecure ? "https" : "http";
  return (baseUrl?.replace(/\/+$/, "") ?? `${protocol}://${host}${exchange.basePath}`) + basePath;
}

/** The request headers that select the version of a card. */
const asking = "A2A-Version, Accept";

/** The media type of A2A 1.0. */
const type1 = /(?:^|,)\s*application\/a2a\+json\s*(?:[;,]|$)/i;

/**
 * Returns true if a client gets a 1.0 card: it names that version, or it names no version and either accepts the media
 * type of 1.0 or meets `cardMode` "v1". A request without version and media type may come from a client of any version:
 * the official Python clients of 0.3 and 1.0 send the same request.
 */
function asksFor1({ headers }: Exchange, { cardMode }: A2ASettings): boolean {
  const { "a2a-version": version, accept = "" } = headers;
  if (version !== undefined) return readVersion(String(version)) === "1.0";
  return cardMode === "v1" || type1.test(accept);
}
