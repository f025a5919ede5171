import { hash } from "node:crypto";
import { readRequestHost } from "@troupe/core/transport";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { describeAgent, describeAgents, makeCard, makeCard1 } from "../card/agent-card.ts";
import type { CardFacts } from "../card/agent-card.ts";
import { readVersion } from "../wire/parse-call.ts";
import type { A2ASettings } from "./a2a-server-options.ts";

/** The time of the cards of this process, as HTTP writes it. */
const madeAt = new Date().toUTCString();

/** Sends the cards of a server, one for all its agents and one for each. */
export class CardRoutes {
  readonly #settings: A2ASettings;

  constructor(settings: A2ASettings) {
    this.#settings = settings;
  }

  /** Sends the card for clients of any version. */
  readonly sendShared = (request: Request, response: Response, next: NextFunction): void => {
    this.#send({ request, response, next }, false);
  };

  /** Sends the card in the version that the client asks for. */
  readonly send = (request: Request, response: Response, next: NextFunction): void => {
    this.#send({ request, response, next }, asksFor1(request, this.#settings));
  };

  /** Sends the card at the endpoint itself. Browsers get what the host has there. */
  readonly sendAtEndpoint = (request: Request, response: Response, next: NextFunction): void => {
    if (request.headers.accept?.includes("text/html") === true) next();
    else this.send(request, response, next);
  };

  /** Returns a handler that sends the public keys of push notifications. */
  sendKeys(keySet: object): RequestHandler {
    const json = JSON.stringify(keySet);
    return (_request, response) => {
      response.setHeader("Access-Control-Allow-Origin", "*").setHeader("Cache-Control", "public, max-age=300");
      response.writeHead(200, {
        "Content-Type": "application/jwk-set+json",
        "Content-Length": Buffer.byteLength(json),
      });
      response.end(json);
    };
  }

  #send({ request, response, next }: { request: Request; response: Response; next: NextFunction }, is1: boolean): void {
    const { agent } = request.params;
    const facts = cardFactsOf(this.#settings, request, agent === undefined ? undefined : String(agent));
    if (facts === undefined) return next();
    const json = JSON.stringify(is1 ? makeCard1(facts) : makeCard(facts));
    const tag = `"${hash("sha256", json, "base64url").slice(0, 27)}"`;
    const { baseUrl } = this.#settings;
    response.setHeader("ETag", tag).setHeader("Last-Modified", madeAt).setHeader("Access-Control-Allow-Origin", "*");
    // The address of a request is that of its client alone.
    response.setHeader("Vary", baseUrl === undefined ? `Host, ${asking}` : asking);
    response.setHeader("Cache-Control", baseUrl === undefined ? "private, max-age=300" : "public, max-age=3600");
    if (request.headers["if-none-match"] === tag) return void response.writeHead(304).end();
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json) });
    response.end(request.method === "HEAD" ? undefined : json);
  }
}

/** Returns the facts of the card of all agents, or of one by its name. Undefined for an agent that is not known. */
export function cardFactsOf(settings: A2ASettings, request: Request, name: string | undefined): CardFacts | undefined {
  const { runs, provider, version, securitySchemes, security, extendedCard, push } = settings;
  const has = { hasExtendedCard: extendedCard !== undefined, pushNotifications: push !== undefined };
  const shared = { version, provider, securitySchemes, security, ...has };
  const url = urlOf(settings, request);
  if (name === undefined) return { ...describeAgents([...runs.agents], provider), ...shared, url };
  const agent = runs.agents.get(name);
  const path = `${url.replace(/\/$/, "")}/agents/${encodeURIComponent(name)}`;
  return agent && { ...describeAgent(agent, name), ...shared, url: path };
}

function urlOf({ baseUrl, basePath }: A2ASettings, request: Request): string {
  const { protocol, originalUrl, headers, baseUrl: mountedAt } = request;
  const host = readRequestHost(originalUrl, headers.host)?.text ?? "localhost";
  return (baseUrl?.replace(/\/+$/, "") ?? `${protocol}://${host}${mountedAt}`) + basePath;
}

/** The headers by which a client asks for a card. */
const asking = "A2A-Version, Accept";

/** The media type that came with 1.0. */
const type1 = /(?:^|,)\s*application\/a2a\+json\s*(?:[;,]|$)/i;

/**
 * Tells if a client asks for the card of 1.0: by its version, else by the media type that came with it. One that names neither may
 * be of any version: the official Python clients of 0.3 and 1.0 send the same request.
 */
function asksFor1({ headers }: Request, { cardMode }: A2ASettings): boolean {
  const { "a2a-version": version, accept = "" } = headers;
  if (version !== undefined) return readVersion(String(version)) === "1.0";
  return cardMode === "v1" || type1.test(accept);
}
