import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent } from "@troupe/core";
import { WhatsAppToolkit } from "@troupe/toolkits-whatsapp";
// #endregion

// Stands in for WhatsApp, so that this program runs offline: it is too late for a free text, and not for a template.
const accepted = { contacts: [{ wa_id: "15551234567" }], messages: [{ id: "wamid.1", message_status: "accepted" }] };
const fetch = async (_url: string, { body }: RequestInit): Promise<Response> => {
  const isTemplate = typeof body === "string" && body.includes('"type":"template"');
  const reply = isTemplate ? Response.json(accepted) : Response.json({ error: { code: 131047 } }, { status: 400 });
  return await Promise.resolve(reply);
};
const network = { fetch, accessToken: "token", phoneNumberId: "106540352242922" };

const template = { name: "order_update", language: "en_US", body: [{ text: "42" }] };
const model = new ScriptedModel(
  { toolCalls: [{ name: "whatsapp_send_text", arguments: { text: "Your order 42 has been sent." } }] },
  { toolCalls: [{ name: "whatsapp_send_template", arguments: template }] },
  "The customer knows that order 42 has been sent.",
);

// #region readme
const whatsapp = new WhatsAppToolkit({ ...network, recipientWaid: "+1 555 123 4567" });
const agent = new Agent({ name: "shop", model, tools: [whatsapp] });

const { text, toolCalls } = await agent.run("Tell the customer that order 42 has been sent.");
// #endregion

assert.equal(text, "The customer knows that order 42 has been sent.");
assert.match(JSON.stringify(toolCalls[0]?.result), /24 hours.*Send an approved template/);
assert.equal(toolCalls[1]?.error, undefined);
