import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createA2AServer } from "@troupe/a2a";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";

const far = new Agent({ name: "weather", model: new ScriptedModel("It rains in Oslo.", "It rains in Oslo.") });
const listener = express()
  .use(createA2AServer({ agents: { weather: far } }))
  .listen(0, "127.0.0.1");
await once(listener, "listening");
const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
const token = "a-token";
const call = { id: "1", name: "ask_weather", arguments: { input: "Does it rain in Oslo?" } };
const model = new ScriptedModel({ toolCalls: [call] }, "Take an umbrella.");

// #region readme
import { A2ARemoteAgent } from "@troupe/a2a";
import { Agent } from "@troupe/core";

const weather = new A2ARemoteAgent({ url, headers: { authorization: `Bearer ${token}` } });
await weather.discover();
const { text } = await weather.run("Does it rain in Oslo?");

const guide = new Agent({ name: "guide", model, tools: [weather.asTool()] });
const answer = await guide.run("What shall I wear in Oslo?");
// #endregion

assert.equal(text, "It rains in Oslo.");
assert.equal(answer.text, "Take an umbrella.");
listener.closeAllConnections();
listener.close();
