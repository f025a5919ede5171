import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import { createPage } from "@troupe/page";
import express from "express";

const helper = new Agent({ name: "helper", model: new ScriptedModel("Take an umbrella.") });
const port = 0;

// #region readme
const app = express();
app.use(createPage({ suggestions: { helper: ["What should I take along to Oslo?"] } }));
app.use(createAgentRouter({ agents: { helper }, fileUpload: true }));
const server = app.listen(port);
// #endregion

await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const page = await (await fetch(url)).text();
const script = /<script type="module" src="([^"]+)"/.exec(page)?.[1] ?? "";
const response = await fetch(new URL(script, `${url}/`));
server.closeAllConnections();
server.close();

assert.equal(response.status, 200);
