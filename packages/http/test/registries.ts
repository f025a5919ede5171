import { RunService } from "@troupe/core/runs";
import type { generateOpenAPISpec } from "../src/openapi/generate-open-api-spec.ts";
import { counter, desk, talker } from "./runnables.ts";

const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`agent-${index}`, talker()] as const));
const odd = new Map(
  ["ä b", "{x}", "a.b", "a-b", "a_b", "__proto__", "constructor", "100%", "a?b#c", '"><script>', "x".repeat(128)].map(
    (name) => [name, talker("Hi.", { description: `<img src=x> [link](javascript:alert(1)) ${name}` })] as const,
  ),
);
const hooked = { agents: { a: talker() }, workflows: { w: counter() } };

/** Options of a service that lets callers name a webhook. */
export const hookedService = { ...hooked, runs: new RunService({ ...hooked, webhooks: { allowCallers: true } }) };

/** Options of services that are described, by what they have. The first two are small. */
export const registries: [string, Parameters<typeof generateOpenAPISpec>[0]][] = [
  ["nothing", {}],
  ["one of each kind", { agents: { a: talker() }, teams: { t: desk() }, workflows: { w: counter() } }],
  ["many agents", { agents: many }],
  ["odd names", { agents: odd, teams: odd, workflows: { "ä b": counter() } }],
  ["forms", { agents: { a: talker() }, workflows: { w: counter() }, fileUpload: true }],
  ["webhooks of callers", hookedService],
  ["keys in one header less", { agents: { a: talker() }, genericApiKeyHeader: false }],
];
