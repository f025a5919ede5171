import { rulesOf } from "../rule.ts";

/** Prebuilt tools. */
export const toolkitRules = [
  ...rulesOf("@troupe/core", { "toolkit.get-tools": "every toolkit lists its tools through getTools" }),
  ...rulesOf("@troupe/toolkits-duckduckgo", {
    "duckduckgo.config": "it takes enableSearch, enableNews and maxResults",
    "duckduckgo.search": "duckduckgo_search searches, without a credential",
    "duckduckgo.news": "duckduckgo_news finds news, without a credential",
  }),
  ...rulesOf("@troupe/toolkits-hackernews", {
    "hackernews.config": "it takes enableGetTopStories and enableGetUserDetails",
    "hackernews.top-stories": "hackernews_top_stories lists stories, without a credential",
    "hackernews.user": "hackernews_user tells of a user, without a credential",
  }),
  ...rulesOf("@troupe/toolkits-web-search", {
    "web-search.config": "it takes provider, apiKey and maxResults",
    "web-search.search": "web_search asks the chosen provider with its key",
  }),
  ...rulesOf("@troupe/toolkits-gmail", {
    "gmail.config": "it takes credentialsPath, tokenPath and authClient",
    "gmail.send": "gmail_send sends mail",
    "gmail.search": "gmail_search searches mail",
    "gmail.read": "gmail_read reads a mail",
  }),
  ...rulesOf("@troupe/toolkits-whatsapp", {
    "whatsapp.config": "it takes accessToken, phoneNumberId, version and recipientWaid",
    "whatsapp.text": "whatsapp_send_text sends text",
    "whatsapp.template": "whatsapp_send_template sends a template",
  }),
];
