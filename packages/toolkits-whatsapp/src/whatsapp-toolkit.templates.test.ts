import { describe, expect, it } from "vitest";
import { startWhatsApp } from "../test/whatsapp.ts";

const to = "15551234567";

describe("whatsapp_send_template", () => {
  it("sends a template with values for its parts [whatsapp.template]", async () => {
    const { service, call } = await startWhatsApp();

    await call("whatsapp_send_template", {
      to,
      name: "order_update",
      language: "en_US",
      header: [{ text: "Hi" }],
      body: [
        { name: "order", text: "42" },
        { name: "name", text: "Ann" },
      ],
      buttons: [
        { index: 0, type: "url", text: "abc" },
        { index: 1, type: "quick_reply", text: "yes" },
      ],
    });

    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual({
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to,
      type: "template",
      template: {
        name: "order_update",
        language: { code: "en_US" },
        components: [
          { type: "header", parameters: [{ type: "text", text: "Hi" }] },
          {
            type: "body",
            parameters: [
              { type: "text", parameter_name: "order", text: "42" },
              { type: "text", parameter_name: "name", text: "Ann" },
            ],
          },
          { type: "button", sub_type: "url", index: "0", parameters: [{ type: "text", text: "abc" }] },
          { type: "button", sub_type: "quick_reply", index: "1", parameters: [{ type: "payload", payload: "yes" }] },
        ],
      },
    });
  });

  it("sends a template without parts", async () => {
    const { service, call } = await startWhatsApp();

    await call("whatsapp_send_template", { to, name: "hello_world", language: "en_US" });

    expect(JSON.parse(service.requests[0]?.body ?? "").template).toEqual({
      name: "hello_world",
      language: { code: "en_US" },
    });
  });

  it("refuses values of which only some have names", async () => {
    const { service, call } = await startWhatsApp();
    const body = [{ text: "1" }, { name: "a", text: "2" }];

    await expect(call("whatsapp_send_template", { to, name: "a", language: "en", body })).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(service.requests).toEqual([]);
  });
});
