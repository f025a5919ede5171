import { enabledTools } from "@troupe-internal/toolkit";
import type { ToolDef, ToolSource } from "@troupe/core";
import { createSendTemplateTool } from "./send-template.ts";
import { createSendTextTool } from "./send-text.ts";
import { WhatsAppApi } from "./whatsapp-api.ts";
import { readWhatsAppOptions } from "./read-options.ts";
import type { WhatsAppOptions } from "./whatsapp-options.ts";

/**
 * Tools that send messages with the WhatsApp Cloud API: `whatsapp_send_text` and `whatsapp_send_template`. Give the
 * toolkit to an agent among its tools, or the array that `getTools` returns.
 */
export class WhatsAppToolkit implements ToolSource {
  readonly #tools: readonly ToolDef[];

  /** Throws `invalid_config` for a wrong or unknown option, and if every tool is disabled. Sends no request yet. */
  constructor(options: WhatsAppOptions = {}) {
    const settings = readWhatsAppOptions(options);
    const { enableSendText, enableSendTemplate, timeoutMs, recipientWaid, allowedRecipients } = settings;
    const sending = { api: new WhatsAppApi(settings), timeoutMs, recipientWaid, allowedRecipients };
    this.#tools = enabledTools("WhatsAppToolkit", [
      { option: "enableSendText", isEnabled: enableSendText, make: () => createSendTextTool(sending) },
      { option: "enableSendTemplate", isEnabled: enableSendTemplate, make: () => createSendTemplateTool(sending) },
    ]);
  }

  /** Returns the enabled tools. */
  getTools(): ToolDef[] {
    return [...this.#tools];
  }
}
