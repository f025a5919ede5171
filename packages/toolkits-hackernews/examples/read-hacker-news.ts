import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent } from "@troupe/core";
import { HackerNewsToolkit } from "@troupe/toolkits-hackernews";
// #endregion

// Stands in for Hacker News, so that this program runs offline.
const story = { id: 1, type: "story", by: "ada", title: "Notes on the Analytical Engine", score: 42, descendants: 7 };
const server = createServer(({ url }, response) => {
  response.end(JSON.stringify(url === "/v0/topstories.json" ? [1] : story));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const model = new ScriptedModel(
  { toolCalls: [{ name: "hackernews_top_stories", arguments: { maxResults: 1 } }] },
  "At the top: Notes on the Analytical Engine.",
);

// #region readme
const agent = new Agent({ name: "reader", model, tools: [new HackerNewsToolkit({ baseURL, maxResults: 5 })] });
const { text, artifacts } = await agent.run("What is at the top of Hacker News?");
// #endregion

assert.equal(text, "At the top: Notes on the Analytical Engine.");
assert.deepEqual(
  artifacts?.map(({ type, toolName }) => [type, toolName]),
  [["search_hits", "hackernews_top_stories"]],
);
server.closeAllConnections();
server.close();
