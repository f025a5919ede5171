import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createRouter, createService } from "@troupe/core/service";
import { http } from "@troupe/http";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });

// #region readme
const router = createRouter(createService({ agents: { helper } }), [http()]);
const server = createServer((request, response) => {
  router(request, response, () => response.writeHead(404).end());
});
// #endregion

server.listen(0, "127.0.0.1");
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const headers = { "content-type": "application/json" };
const body = JSON.stringify({ input: "Hi" });
const answer = await fetch(`${base}/agents/helper/stream`, { method: "POST", headers, body });
assert.match(await answer.text(), /Take an umbrella\.|Take/);
assert.equal((await fetch(`${base}/elsewhere`)).status, 404);
server.closeAllConnections();
server.close();
