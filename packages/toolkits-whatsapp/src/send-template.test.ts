import { describe, expect, it } from "vitest";
import { startWhatsApp } from "../test/whatsapp.ts";
import { isPhoneNumberId, isVersion } from "./read-options.ts";

const to = "15551234567";
const template = { to, name: "a", language: "en" };

/** Sends a template, and returns what arrived of it. */
async function sent(args: object): Promise<unknown> {
  const { service, call } = await startWhatsApp();
  await call("whatsapp_send_template", { ...template, ...args });
  return (JSON.parse(service.requests[0]?.body ?? "") as { template: object }).template;
}

describe("whatsapp_send_template", () => {
  it.each<[string, object, object[] | undefined]>([
    ["no values", {}, undefined],
    ["empty lists", { header: [], body: [], buttons: [] }, undefined],
    ["a header", { header: [{ text: "H" }] }, [{ type: "header", parameters: [{ type: "text", text: "H" }] }]],
    [
      "a name",
      { body: [{ text: "B", name: "n" }] },
      [{ type: "body", parameters: [{ type: "text", parameter_name: "n", text: "B" }] }],
    ],
    [
      "the header before the body",
      { body: [{ text: "B" }], header: [{ text: "H" }] },
      [
        { type: "header", parameters: [{ type: "text", text: "H" }] },
        { type: "body", parameters: [{ type: "text", text: "B" }] },
      ],
    ],
    [
      "buttons",
      {
        buttons: [
          { index: 3, type: "quick_reply", text: "Q" },
          { index: 0, type: "url", text: "U" },
        ],
      },
      [
        { type: "button", sub_type: "quick_reply", index: "3", parameters: [{ type: "payload", payload: "Q" }] },
        { type: "button", sub_type: "url", index: "0", parameters: [{ type: "text", text: "U" }] },
      ],
    ],
  ])("sends %s", async (_, args, components) => {
    expect(await sent(args)).toEqual({ name: "a", language: { code: "en" }, ...(components && { components }) });
  });

  it.each([["header"], ["body"]])("refuses a %s of which only some values have names", async (part) => {
    const { service, call } = await startWhatsApp();

    await expect(
      call("whatsapp_send_template", { ...template, [part]: [{ text: "A" }, { text: "B", name: "n" }] }),
    ).rejects.toMatchObject({
      code: "invalid_request",
      message: `The values of ${part} must all have names or none, as in the template. Nothing was sent.`,
    });
    expect(service.requests).toEqual([]);
  });

  it.each([{ name: "" }, { language: "" }, { name: 7 }])("refuses a template with %j", async (args) => {
    await expect(sent(args)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

it("whatsapp_send_text sends the text it was given, in its bounds", async () => {
  const { service, call } = await startWhatsApp();
  await call("whatsapp_send_text", { to, text: ` ${"a".repeat(4096)} `, previewUrl: true });
  await call("whatsapp_send_text", { to, text: "a", previewUrl: "yes" });
  const [first, second] = service.requests.map(({ body }) => (JSON.parse(body) as { text: object }).text);

  expect(first).toEqual({ preview_url: true, body: "a".repeat(4096) });
  expect(second).toEqual({ preview_url: false, body: "a" });
  await expect(call("whatsapp_send_text", { to, text: "a".repeat(4097) })).rejects.toThrow(
    "text must be a text of 1 to 4096 characters",
  );
});

describe("the tools of WhatsApp", () => {
  it("have their parameters, limits and effects", async () => {
    const { toolkit } = await startWhatsApp({ timeoutMs: 1000 });
    const some = expect.any(String) as unknown;
    const text = { type: "string", minLength: 1, maxLength: 1024 };
    const values = {
      type: "array",
      description: some,
      items: {
        type: "object",
        properties: { text, name: { type: "string", minLength: 1, maxLength: 100 } },
        required: ["text"],
        additionalProperties: false,
      },
      maxItems: 50,
    };
    const buttons = {
      type: "array",
      description: some,
      items: {
        type: "object",
        properties: {
          index: { type: "integer", minimum: 0, maximum: 9 },
          type: { type: "string", enum: ["url", "quick_reply"] },
          text,
        },
        required: ["index", "type", "text"],
        additionalProperties: false,
      },
      maxItems: 10,
    };
    const [sendText, sendTemplate] = toolkit.getTools();

    expect(sendText).toMatchObject({ name: "whatsapp_send_text", effect: "once", timeoutMs: 6000 });
    expect(sendText?.parameters).toMatchObject({
      properties: { text: { minLength: 1, maxLength: 4096 }, previewUrl: { type: "boolean" } },
      required: ["text"],
      additionalProperties: false,
    });
    expect(sendTemplate).toMatchObject({ name: "whatsapp_send_template", effect: "once", timeoutMs: 6000 });
    expect(sendTemplate?.parameters).toEqual({
      type: "object",
      properties: {
        to: expect.any(Object) as unknown,
        name: { type: "string", description: some, maxLength: 512, pattern: "^[a-z0-9_]+$" },
        language: { type: "string", description: some, maxLength: 20, pattern: "^[A-Za-z]{2,3}(_[A-Za-z]{2,4})?$" },
        header: { ...values, description: expect.stringContaining("header") as unknown },
        body: { ...values, description: expect.stringContaining("body") as unknown },
        buttons,
      },
      required: ["name", "language"],
      additionalProperties: false,
    });
  });
});

describe("the answer to a message", () => {
  it.each<[string, object, object]>([
    ["the id alone", { messages: [{ id: "m" }] }, { messageId: "m", to, status: "accepted" }],
    [
      "everything",
      { messages: [{ id: "m", message_status: "held" }, { id: "n" }], contacts: [{ wa_id: "1" }] },
      { messageId: "m", to: "1", status: "held" },
    ],
  ])("tells %s", async (_, body, expected) => {
    const { service, call } = await startWhatsApp();
    service.answer(() => ({ body: JSON.stringify(body) }));

    expect(await call("whatsapp_send_text", { to, text: "a" })).toEqual({
      ...expected,
      note: "WhatsApp has accepted the message. That is no proof that it was delivered.",
    });
  });

  it.each(["{}", "[]", '{"messages":[{"id":7}]}', '{"messages":{"id":"m"}}'])(
    "leaves open if a message was sent when it is %s",
    async (body) => {
      const { service, call } = await startWhatsApp();
      service.answer(() => ({ body }));

      await expect(call("whatsapp_send_text", { to, text: "a" })).rejects.toMatchObject({
        fields: { problem: "outcome_unknown" },
        message: expect.stringContaining("Ask the user whether it has arrived") as unknown,
      });
      expect(service.requests).toHaveLength(1);
    },
  );
});

it.each<[unknown, boolean, boolean]>([
  ["1", true, false],
  ["1".repeat(30), true, false],
  ["1".repeat(31), false, false],
  ["v25.0", false, true],
  ["v999.99", false, true],
  ["v1000.0", false, false],
  ["v1.100", false, false],
  ["v25", false, false],
  ["25.0", false, false],
  ["v25.0\n", false, false],
  ["１", false, false],
  ["", false, false],
  [1, false, false],
])("knows if %j is an id or a version", (value, isId, isOfApi) => {
  expect([isPhoneNumberId(value), isVersion(value)]).toEqual([isId, isOfApi]);
});
