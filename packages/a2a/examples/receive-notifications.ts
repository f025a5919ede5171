import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createA2AServer } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

// #region readme
import { createHash, createPublicKey, verify } from "node:crypto";
import type { JsonWebKey } from "node:crypto";
import express from "express";

const decode = (part = ""): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;

/** Returns true if an agent whose keys are at `keysUrl` has sent this body to this address, within the last minutes. */
async function isFromAgent(token: string, body: Buffer, { url, keysUrl }: { url: string; keysUrl: string }) {
  const [head, claims, signature = ""] = token.split(".");
  // Keep the keys in your program, and ask again for a kid that you do not know.
  const { keys } = (await (await fetch(keysUrl)).json()) as { keys: JsonWebKey[] };
  const jwk = keys.find(({ kid, alg }) => kid === decode(head)["kid"] && alg === "ES256");
  if (jwk === undefined) return false;
  const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" as const };
  if (!verify("sha256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"))) return false;
  const { aud, exp, request_body_sha256: sum } = decode(claims);
  const isFresh = Number(exp) > Date.now() / 1000;
  return aud === url && isFresh && sum === createHash("sha256").update(body).digest("hex");
}

const app = express();
app.post("/hook", express.raw({ type: () => true }), async (request, response) => {
  const token = request.get("x-a2a-notification-signature") ?? "";
  const body = request.body as Buffer;
  const isGenuine = await isFromAgent(token, body, receiver);
  if (isGenuine) notified.push(JSON.parse(body.toString()) as (typeof notified)[number]);
  response.sendStatus(isGenuine ? 204 : 401);
});
// #endregion

const notified: { status: { state: string } }[] = [];
const listen = async (served: express.Express): Promise<string> => {
  const listener = served.listen(0, "127.0.0.1");
  await once(listener, "listening");
  listener.unref();
  return `127.0.0.1:${(listener.address() as AddressInfo).port}`;
};
const host = await listen(app);
const guide = new Agent({ name: "guide", model: new ScriptedModel("Oslo.") });
const agents = createA2AServer({ agents: { guide }, pushNotifications: { allowPrivateHosts: [host] } });
const agentUrl = `http://${await listen(express().use(agents))}`;
const receiver = { url: `http://${host}/hook`, keysUrl: `${agentUrl}/.well-known/jwks.json` };

const message = { kind: "message", messageId: "1", role: "user", parts: [{ kind: "text", text: "Norway?" }] };
const configuration = { pushNotificationConfig: { url: receiver.url } };
await fetch(agentUrl, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: { message, configuration } }),
});
for (let looks = 0; notified.length < 2 && looks < 1000; looks++) {
  await new Promise((resolve) => setTimeout(resolve, 10));
}
assert.deepEqual(
  notified.map(({ status }) => status.state),
  ["working", "completed"],
);
