import { contextWith, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { WhatsAppToolkit } from "./index.ts";

const missing = ["WHATSAPP_ACCESS_TOKEN", "WHATSAPP_PHONE_NUMBER_ID", "WHATSAPP_RECIPIENT_WAID"].filter(
  (name) => (process.env[name] ?? "") === "",
);
if (missing.length > 0) {
  process.stdout.write(`The live tests of WhatsApp are skipped: ${missing.join(" and ")} not set.\n`);
}

describe.skipIf(missing.length > 0)("the real WhatsApp", () => {
  it("sends the template that every test number has", async () => {
    const tool = await toolOf(new WhatsAppToolkit(), "whatsapp_send_template");

    const sent = await tool.execute({ name: "hello_world", language: "en_US" }, contextWith());

    expect(sent).toMatchObject({ messageId: expect.stringMatching(/^wamid\./), status: "accepted" });
  });

  it("says that a wrong token was refused", async () => {
    const tool = await toolOf(new WhatsAppToolkit({ accessToken: "EAAG-wrong" }), "whatsapp_send_text");

    await expect(tool.execute({ text: "x" }, contextWith())).rejects.toMatchObject({
      fields: { problem: "credential_refused" },
    });
  });
});
