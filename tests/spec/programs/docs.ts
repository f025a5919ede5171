// DocsOptions: interactive docs and the generated spec.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter, generateOpenAPISpec } from "@troupe/http";
import express from "express";

const agents = { helper: new Agent({ name: "helper", model: new ScriptedModel() }) };
const swagger = {
  enabled: true,
  title: "Weather API",
  description: "Advice for travellers.",
  version: "2.1.0",
  routePrefix: "/api",
  servers: [{ url: "https://weather.example", description: "production" }],
  docsPath: "/manual",
  specPath: "/manual/spec.json",
};

const app = express();
app.use("/api", createAgentRouter({ agents, swagger }));
app.use("/plain", createAgentRouter({ agents, swagger: {} }));
app.use("/off", createAgentRouter({ agents, swagger: { enabled: false } }));
app.use("/none", createAgentRouter({ agents }));
const server = app.listen(0);
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

type Spec = {
  openapi: string;
  info: { title: string; version: string; description?: string };
  paths: Record<string, unknown>;
  components: { securitySchemes: Record<string, { type: string; in: string; name: string }> };
  servers?: { url: string; description?: string }[];
};

const page = await fetch(`${base}/api/manual`);
assert.equal(page.status, 200);
assert.match(page.headers.get("content-type") ?? "", /text\/html/);

const spec = (await (await fetch(`${base}/api/manual/spec.json`)).json()) as Spec;
assert.equal(spec.openapi, "3.0.3");
assert.deepEqual(spec.info, { title: "Weather API", version: "2.1.0", description: "Advice for travellers." });
assert.deepEqual(spec.servers, swagger.servers);
assert.ok(Object.keys(spec.paths).some((path) => path.startsWith("/api/agents/") && path.endsWith("/run")));
assert.deepEqual(
  Object.values(spec.components.securitySchemes)
    .map(({ name }) => name.toLowerCase())
    .toSorted(),
  ["x-anthropic-api-key", "x-api-key", "x-google-api-key", "x-openai-api-key"],
);

const plain = (await (await fetch(`${base}/plain/docs/spec.json`)).json()) as Spec;
assert.equal(plain.info.title, "Service API");
assert.equal(plain.info.version, "1.0.0");
assert.equal(plain.info.description, undefined);
assert.equal((await fetch(`${base}/plain/docs`)).status, 200);

for (const mount of ["off", "none"]) {
  assert.equal((await fetch(`${base}/${mount}/docs`)).status, 404);
  assert.equal((await fetch(`${base}/${mount}/docs/spec.json`)).status, 404);
}

// The same spec as code.
const generated = generateOpenAPISpec({ agents }, swagger);
assert.equal(generated.openapi, "3.0.3");
assert.equal(generated.info.title, "Weather API");

server.closeAllConnections();
server.close();
