import { toolkitSuite } from "@troupe-internal/toolkit-fakes";
import { describe, it } from "vitest";
import { recorded } from "../test/whatsapp.ts";
import { WhatsAppToolkit } from "./index.ts";

const answer = () => recorded("accepted");
const text = { to: "+1 555 123 4567", text: "Hello" };
const template = { to: "15551234567", name: "order_update", language: "en_US", body: [{ text: "42" }] };

describe("WhatsAppToolkit", () => {
  toolkitSuite(it, {
    connect: ({ credential, ...options }) =>
      new WhatsAppToolkit({
        phoneNumberId: "106540352242922",
        ...options,
        ...(credential && { accessToken: credential }),
      }),
    credential: { option: "accessToken", environment: ["WHATSAPP_ACCESS_TOKEN"] },
    tools: {
      whatsapp_send_text: {
        effect: "once",
        args: text,
        answer,
        wrongArgs: [
          {},
          { ...text, text: "" },
          { ...text, text: "x".repeat(4097) },
          { ...text, to: 1 },
          { ...text, more: 1 },
        ],
      },
      whatsapp_send_template: {
        effect: "once",
        args: template,
        answer,
        wrongArgs: [
          { to: "15551234567" },
          { ...template, name: "Order Update" },
          { ...template, language: "English" },
          { ...template, body: "42" },
          { ...template, body: Array.from({ length: 51 }, () => ({ text: "1" })) },
          { ...template, buttons: [{ index: 0, type: "call", text: "x" }] },
        ],
      },
    },
  });
});
