import { contextWith, FakeService } from "@troupe-internal/toolkit-fakes";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readWhatsAppOptions } from "./read-options.ts";
import { WhatsAppApi } from "./whatsapp-api.ts";
import type { WhatsAppOptions } from "./whatsapp-options.ts";

afterEach(() => void vi.unstubAllEnvs());

const message = { to: "15551234567", type: "text", body: { body: "Hi" } };
const note = "WhatsApp has accepted the message. That is no proof that it was delivered.";

/** Sends a message to a service that answers with this, with these options and variables of the environment. */
async function send(
  answer: { body: string; status?: number },
  { options = {}, environment = {} }: { options?: WhatsAppOptions; environment?: Record<string, string> } = {},
) {
  const service = (await FakeService.start()).answer(answer);
  onTestFinished(() => service.close());
  for (const name of ["WHATSAPP_PHONE_NUMBER_ID", "WHATSAPP_VERSION"]) vi.stubEnv(name, environment[name]);
  const settings = { accessToken: "key-1", phoneNumberId: "1", baseURL: service.url, ...options };
  const api = new WhatsAppApi(readWhatsAppOptions(settings));
  const outcome: unknown = await api.send(message, contextWith()).catch((error: unknown) => error);
  return { outcome, requests: service.requests };
}

const accepted = (more: object = {}) => ({ body: JSON.stringify({ messages: [{ id: "wamid.1" }], ...more }) });

describe("WhatsAppApi.send", () => {
  it.each<[string, object, object]>([
    ["no contact and no status", {}, {}],
    ["a contact", { contacts: [{ wa_id: "4915112345678" }] }, { to: "4915112345678" }],
    ["a contact that is no string", { contacts: [{ wa_id: 5 }] }, {}],
    ["a status", { messages: [{ id: "wamid.1", message_status: "held_for_quality" }] }, { status: "held_for_quality" }],
    ["a long id", { messages: [{ id: "i".repeat(201) }] }, { messageId: `${"i".repeat(199)}…` }],
    [
      "a long status",
      { messages: [{ id: "wamid.1", message_status: "s".repeat(41) }] },
      { status: `${"s".repeat(39)}…` },
    ],
    ["several messages", { messages: [{ id: "wamid.1" }, { id: "wamid.2" }] }, {}],
  ])("tells of an answer with %s", async (_what, answer, expected) => {
    expect((await send(accepted(answer))).outcome).toEqual({
      messageId: "wamid.1",
      to: "15551234567",
      status: "accepted",
      note,
      ...expected,
    });
  });

  it.each([{}, { messages: [] }, { messages: [{}] }, { messages: [{ id: "" }] }, { messages: [{ id: 5 }] }, []])(
    "fails for the answer %j, which names no message",
    async (answer) => {
      const { outcome, requests } = await send({ body: JSON.stringify(answer) });

      expect(outcome).toMatchObject({ name: "TroupeError", fields: { service: "WhatsApp" } });
      expect(requests).toHaveLength(1);
    },
  );

  it.each<[string, WhatsAppOptions, Record<string, string>, string]>([
    ["no version", {}, {}, "/v25.0/1/messages"],
    ["the version of the environment", {}, { WHATSAPP_VERSION: "v9.12" }, "/v9.12/1/messages"],
    ["an option before the environment", { version: "v26.0" }, { WHATSAPP_VERSION: "v9.12" }, "/v26.0/1/messages"],
    ["a number before the environment", { phoneNumberId: "7" }, { WHATSAPP_PHONE_NUMBER_ID: "8" }, "/v25.0/7/messages"],
  ])("asks the path for %s", async (...[, options, environment, path]) => {
    const { requests } = await send(accepted(), { options, environment });

    expect(requests.map((request) => [request.method, request.path])).toEqual([["POST", path]]);
  });

  it.each<[string, Record<string, string>, string]>([
    [
      "without a number",
      {},
      "WhatsApp needs the id of the number that sends. Pass phoneNumberId or set WHATSAPP_PHONE_NUMBER_ID.",
    ],
    [
      "for a number of the environment that is none",
      { WHATSAPP_PHONE_NUMBER_ID: "1/x" },
      "The environment variable WHATSAPP_PHONE_NUMBER_ID must be a string of 1 to 30 digits, the id of the number that sends.",
    ],
    [
      "for a version of the environment that is none",
      { WHATSAPP_PHONE_NUMBER_ID: "1", WHATSAPP_VERSION: "v25" },
      'The environment variable WHATSAPP_VERSION must be a version such as "v25.0".',
    ],
  ])("sends nothing %s", async (_what, environment, sentence) => {
    const { outcome, requests } = await send(accepted(), { options: { phoneNumberId: undefined }, environment });

    expect(outcome).toMatchObject({ code: "invalid_config", message: sentence });
    expect(requests).toEqual([]);
  });
});

describe("readWhatsAppOptions", () => {
  it("adds the defaults, and writes numbers as digits", () => {
    const numbers = { recipientWaid: "+49 151 2345678", allowedRecipients: ["+1 (555) 123-4567", "491512345678"] };

    expect(readWhatsAppOptions({})).toMatchObject({
      enableSendText: true,
      enableSendTemplate: true,
      baseURL: "https://graph.facebook.com",
      timeoutMs: 15_000,
    });
    expect(readWhatsAppOptions(numbers)).toMatchObject({
      recipientWaid: "491512345678",
      allowedRecipients: ["15551234567", "491512345678"],
    });
  });

  it.each([
    [
      "version",
      ["v1.0", "v999.99"],
      ["v1", "V1.0", "v1000.0", "v1.000", "1.0", "v1.0/", ""],
      'a version such as "v25.0"',
    ],
    [
      "recipientWaid",
      ["15551234567"],
      ["Ann", "0151", ""],
      "a phone number with its country code, such as +15551234567",
    ],
    ["enableSendText", [true, false], [0, "yes"], "true or false"],
    ["enableSendTemplate", [true, false], [0, "yes"], "true or false"],
  ])("takes as %s %j, and not %j", (...[option, taken, refused, expected]) => {
    const read = (value: unknown) => readWhatsAppOptions({ [option]: value }) as Record<string, unknown>;

    for (const value of taken) expect(read(value)[option]).toBe(value);
    for (const value of refused) expect(() => read(value)).toThrow(`${option} must be ${expected}, got `);
  });

  it("refuses an empty list of recipients with what to do", () => {
    expect(() => readWhatsAppOptions({ allowedRecipients: [] })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: "allowedRecipients must not be empty. Leave it out to allow any recipient.",
      }),
    );
  });
});
