import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent, InMemoryStorage, TroupeError } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import { http } from "@troupe/http";
import { createRemoteJWKSet, jwtVerify } from "jose";
// #endregion

// Stands in for your identity provider: it publishes its keys, and signs tokens with them.
const { publicKey, privateKey } = await generateKeyPair("RS256");
const published = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: "RS256", kid: "key-1" }] });
const provider = createServer((_request, response) => void response.end(published)).listen(0, "127.0.0.1");
await once(provider, "listening");
const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
const model = new ScriptedModel().respond(() => "Noted.");
const port = Number(process.env["PORT"] ?? 0);

// #region readme
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

async function authenticate({ headers }: ServiceRequest): Promise<Principal> {
  const [, token = ""] = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: "https://agents.example.com",
    algorithms: ["RS256"], // never the one that the token asks for
    requiredClaims: ["exp", "sub", "org"],
  }).catch(() => {
    throw new TroupeError("unauthorized", "Sign in: send Authorization: Bearer and a valid token.");
  });
  return { userId: String(payload.sub), tenantId: String(payload["org"]) };
}

const storage = new InMemoryStorage(); // PostgresStorage in production: one database, separate tenants
const helper = new Agent({ name: "helper", model, storage });
const service = createService({ agents: { helper }, authenticate });
const { url } = await serve(service, [http()], { port });
// #endregion

type Claims = { sub: string; org: string; aud?: string; expires?: string };

async function statusOf(path: string, { sub, org, aud = "https://agents.example.com", expires = "5m" }: Claims) {
  const token = await new SignJWT({ org })
    .setProtectedHeader({ alg: "RS256", kid: "key-1" })
    .setIssuer(issuer)
    .setSubject(sub)
    .setAudience(aud)
    .setExpirationTime(expires)
    .sign(privateKey);
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const body = JSON.stringify({ input: "Remember: 7.", sessionId: "notes" });
  const sent = path === "/agents/helper/run" ? { method: "POST", body } : {};
  return (await fetch(url + path, { headers, ...sent })).status;
}

assert.equal(await statusOf("/agents/helper/run", { sub: "ada", org: "north" }), 200);
assert.equal(await statusOf("/sessions/notes", { sub: "ada", org: "north" }), 200);
// A user of the same name in another tenant is another user, and finds nothing.
assert.equal(await statusOf("/sessions/notes", { sub: "ada", org: "south" }), 404);
assert.equal(await statusOf("/sessions/notes", { sub: "ada", org: "north", aud: "https://other.example.com" }), 401);
assert.equal(await statusOf("/sessions/notes", { sub: "ada", org: "north", expires: "-5m" }), 401);
assert.equal((await fetch(`${url}/sessions/notes`)).status, 401);
console.log("200 in the own tenant, 404 in another, 401 with a token that is not valid");
await service.close();
provider.close();
