import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent } from "@troupe/core";
import { DuckDuckGoToolkit } from "@troupe/toolkits-duckduckgo";
// #endregion

// Stands in for DuckDuckGo, so that this program runs offline.
const page = `<a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fnodejs.org%2F">Node.js</a>
  <a class="result__snippet">A runtime for <b>JavaScript</b>.</a>`;
const server = createServer((_, response) => response.end(page));
await once(server.listen(0, "127.0.0.1"), "listening");
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const model = new ScriptedModel(
  { toolCalls: [{ name: "duckduckgo_search", arguments: { query: "node" } }] },
  "Node.js is a runtime for JavaScript: https://nodejs.org/",
);

// #region readme
const toolkit = new DuckDuckGoToolkit({ baseURL, enableNews: false, maxResults: 5 });
const agent = new Agent({ name: "searcher", model, tools: [toolkit] });
const { text, artifacts } = await agent.run("What is Node.js?");
// #endregion

assert.equal(text, "Node.js is a runtime for JavaScript: https://nodejs.org/");
assert.deepEqual(artifacts?.[0]?.data, {
  service: "DuckDuckGo",
  query: "node",
  hits: [{ title: "Node.js", url: "https://nodejs.org/", snippet: "A runtime for JavaScript." }],
});
server.closeAllConnections();
server.close();
