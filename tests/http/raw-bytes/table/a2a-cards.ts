import { at, endpoint } from "./a2a-calls.ts";
import { get, post, send } from "./entry.ts";
import type { Entry } from "./entry.ts";

/** Agent cards and the keys of push notifications. */
export const a2aCardEntries: readonly Entry[] = [
  { title: "card", request: get("/.well-known/agent-card.json") },
  { title: "card: HEAD", request: send("HEAD /.well-known/agent-card.json") },
  { title: "card: OPTIONS", request: send("OPTIONS /.well-known/agent-card.json") },
  { title: "card: POST", request: post("/.well-known/agent-card.json", {}) },
  { title: "card: shared", request: get("/.well-known/agent.json") },
  { title: "card: 1.0", request: get("/.well-known/agent-card.json", { "A2A-Version": "1.0" }) },
  { title: "card: 0.3", request: get("/.well-known/agent-card.json", { "A2A-Version": "0.3" }) },
  { title: "card: by media type", request: get("/.well-known/agent-card.json", { Accept: "application/a2a+json" }) },
  {
    title: "card: as known",
    request: (seen) => get("/.well-known/agent-card.json", { "If-None-Match": seen.header("card", "etag") }),
  },
  { title: "card: any is known", request: get("/.well-known/agent-card.json", { "If-None-Match": "*" }) },
  { title: "card: another is known", request: get("/.well-known/agent-card.json", { "If-None-Match": '"x"' }) },
  { title: "card: another host", request: get("/.well-known/agent-card.json", { Host: "service.example" }) },
  { title: "card: a host that is not allowed", request: get("/.well-known/agent-card.json", { Host: "evil.example" }) },
  { title: "card: behind a proxy", request: get("/.well-known/agent-card.json", { "X-Forwarded-Proto": "https" }) },
  { title: "card: an agent", request: get(`${at("writer")}/.well-known/agent-card.json`) },
  { title: "card: an agent, shared", request: get(`${at("writer")}/.well-known/agent.json`) },
  { title: "card: an unknown agent", request: get("/a2a/agents/nobody/.well-known/agent-card.json") },
  { title: "card: at the endpoint", request: get(endpoint) },
  { title: "card: at the endpoint, for a browser", request: get(endpoint, { Accept: "text/html" }) },
  { title: "card: at the endpoint of an agent", request: get(at("writer")) },
  { title: "keys", request: get("/.well-known/jwks.json") },
];
