import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent } from "@troupe/core";
import { WebSearchToolkit } from "@troupe/toolkits-web-search";
// #endregion

// Stands in for Tavily, so that this program runs offline.
const results = [{ title: "Node.js", url: "https://nodejs.org/", content: "A runtime for JavaScript.", score: 0.9 }];
const server = createServer((_, response) => response.end(JSON.stringify({ results })));
await once(server.listen(0, "127.0.0.1"), "listening");
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const apiKey = "tvly-example";

const model = new ScriptedModel(
  { toolCalls: [{ name: "web_search", arguments: { query: "node", timeRange: "month" } }] },
  "Node.js is a runtime for JavaScript: https://nodejs.org/",
);

// #region readme
const toolkit = new WebSearchToolkit({ provider: "tavily", apiKey, baseURL, maxResults: 5 });
const agent = new Agent({ name: "searcher", model, tools: [toolkit] });
const { text, artifacts } = await agent.run("What is Node.js?");
// #endregion

assert.equal(text, "Node.js is a runtime for JavaScript: https://nodejs.org/");
assert.deepEqual(artifacts?.[0]?.data, {
  service: "Tavily",
  query: "node",
  hits: [{ title: "Node.js", url: "https://nodejs.org/", snippet: "A runtime for JavaScript.", score: 0.9 }],
});
server.closeAllConnections();
server.close();
