import { readTextArgument, toolTimeoutMs } from "@troupe-internal/toolkit";
import { defineTool } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { readRecipient, recipientParameter } from "./recipient.ts";
import type { SendOptions } from "./send-template.ts";

/** Longest text that WhatsApp accepts, in characters. */
const longestText = 4096;

/** Makes the tool `whatsapp_send_text`. */
export function createSendTextTool({ api, timeoutMs, ...recipients }: SendOptions): ToolDef {
  return defineTool({
    name: "whatsapp_send_text",
    description:
      "Sends a text to one person with WhatsApp, at once and for good. It is accepted only within 24 hours after the person's last message to this number: else use whatsapp_send_template.",
    parameters: {
      type: "object",
      properties: {
        to: recipientParameter(recipients),
        text: { type: "string", description: "The text of the message.", minLength: 1, maxLength: longestText },
        previewUrl: { type: "boolean", description: "Shows a preview of the first link in the text. Default: false." },
      },
      required: ["text"],
      additionalProperties: false,
    },
    effect: "once",
    timeoutMs: toolTimeoutMs(timeoutMs),
    execute: async (args, context) => {
      const to = readRecipient(args["to"], recipients);
      const text = readTextArgument(args, "text", longestText);
      return await api.send(
        { to, type: "text", body: { preview_url: args["previewUrl"] === true, body: text } },
        context,
      );
    },
  });
}
