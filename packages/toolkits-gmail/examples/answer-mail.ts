import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent } from "@troupe/core";
import { GmailToolkit } from "@troupe/toolkits-gmail";
// #endregion

// Stands in for Gmail, so that this program runs offline.
const headers = [
  { name: "From", value: "Ann <ann@example.com>" },
  { name: "Message-ID", value: "<1@mail.example.com>" },
];
const data = Buffer.from("When do we meet?").toString("base64url");
const mail = { id: "m1", threadId: "t1", payload: { mimeType: "text/plain", headers, body: { data } } };
let sent = { raw: "", threadId: "" };
const fetch = async (url: string, { body }: RequestInit): Promise<Response> => {
  if (typeof body === "string") sent = JSON.parse(body) as typeof sent;
  return await Promise.resolve(Response.json(url.includes("/messages?") ? { messages: [mail] } : mail));
};
const network = { fetch, authClient: { getAccessToken: async () => await Promise.resolve("token") } };

const answered = {
  to: ["ann@example.com"],
  subject: "Re: Meeting",
  text: "On Monday at ten.",
  threadId: "t1",
  inReplyTo: "<1@mail.example.com>",
};
const model = new ScriptedModel(
  { toolCalls: [{ name: "gmail_search", arguments: { query: "is:unread" } }] },
  { toolCalls: [{ name: "gmail_read", arguments: { id: "m1" } }] },
  { toolCalls: [{ name: "gmail_send", arguments: answered }] },
  "I told Ann: on Monday at ten.",
);

// #region readme
const gmail = new GmailToolkit({ ...network, allowedRecipients: ["@example.com"] });
const agent = new Agent({ name: "secretary", model, tools: [gmail] });

const { text } = await agent.run("Answer the unread mail: we meet on Monday at ten.");
// #endregion

assert.equal(text, "I told Ann: on Monday at ten.");
assert.equal(sent.threadId, "t1");
assert.match(Buffer.from(sent.raw, "base64url").toString(), /^To: ann@example\.com\r\n/);
