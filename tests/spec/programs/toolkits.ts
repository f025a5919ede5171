// Toolkits: each returns a list of tool definitions through getTools().
import assert from "node:assert/strict";
import { Agent } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { DuckDuckGoToolkit } from "@troupe/toolkits-duckduckgo";
import { GmailToolkit } from "@troupe/toolkits-gmail";
import { HackerNewsToolkit } from "@troupe/toolkits-hackernews";
import { WebSearchToolkit } from "@troupe/toolkits-web-search";
import { WhatsAppToolkit } from "@troupe/toolkits-whatsapp";

const namesOf = (tools: readonly ToolDef[]): string[] => tools.map(({ name }) => name).toSorted();

const search = new DuckDuckGoToolkit({ enableSearch: true, enableNews: true, maxResults: 3 });
assert.deepEqual(namesOf(search.getTools()), ["duckduckgo_news", "duckduckgo_search"]);
assert.deepEqual(namesOf(new DuckDuckGoToolkit({ enableNews: false }).getTools()), ["duckduckgo_search"]);

const news = new HackerNewsToolkit({ enableGetTopStories: true, enableGetUserDetails: true });
assert.deepEqual(namesOf(news.getTools()), ["hackernews_top_stories", "hackernews_user"]);
assert.deepEqual(namesOf(new HackerNewsToolkit({ enableGetUserDetails: false }).getTools()), [
  "hackernews_top_stories",
]);

const web = new WebSearchToolkit({ provider: "tavily", apiKey: "search-key", maxResults: 5 });
assert.deepEqual(namesOf(web.getTools()), ["web_search"]);

const mail = new GmailToolkit({ authClient: { getAccessToken: async () => await Promise.resolve("access-token") } });
assert.deepEqual(namesOf(mail.getTools()), ["gmail_read", "gmail_search", "gmail_send"]);

const messaging = new WhatsAppToolkit({
  accessToken: "access-token",
  phoneNumberId: "1234567890",
  version: "v23.0",
  recipientWaid: "15551234567",
});
assert.deepEqual(namesOf(messaging.getTools()), ["whatsapp_send_template", "whatsapp_send_text"]);

// The lists are tools of an agent.
const model = new ScriptedModel("Nothing to look up.");
const agent = new Agent({
  name: "helper",
  model,
  tools: [...search.getTools(), ...news.getTools(), ...web.getTools(), ...mail.getTools(), ...messaging.getTools()],
});
assert.equal((await agent.run("Hello")).text, "Nothing to look up.");
assert.deepEqual(model.calls[0]?.options.tools?.map(({ name }) => name).toSorted(), [
  "duckduckgo_news",
  "duckduckgo_search",
  "gmail_read",
  "gmail_search",
  "gmail_send",
  "hackernews_top_stories",
  "hackernews_user",
  "web_search",
  "whatsapp_send_template",
  "whatsapp_send_text",
]);
