import { allTextOf, recordingNames } from "@troupe-internal/toolkit-fakes";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { recorded, startWhatsApp } from "../test/whatsapp.ts";
import { WhatsAppToolkit } from "./index.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const to = "15551234567";

describe("whatsapp_send_text", () => {
  it("sends a text to a number, without signs and spaces [whatsapp.text]", async () => {
    const { service, call } = await startWhatsApp();

    const result = await call("whatsapp_send_text", { to: "+1 (555) 123-4567", text: "Hello" });

    expect(
      service.requests.map(({ method, path, headers, body }) => ({
        method,
        path,
        key: headers.authorization,
        body: JSON.parse(body),
      })),
    ).toEqual([
      {
        method: "POST",
        path: "/v25.0/106540352242922/messages",
        key: "Bearer EAAG-token",
        body: {
          messaging_product: "whatsapp",
          recipient_type: "individual",
          to,
          type: "text",
          text: { preview_url: false, body: "Hello" },
        },
      },
    ]);
    expect(result).toMatchObject({ messageId: expect.stringMatching(/^wamid\./), to, status: "accepted" });
  });

  it("sends to recipientWaid unless the call names another recipient [whatsapp.default-recipient]", async () => {
    const { service, call } = await startWhatsApp({ recipientWaid: "+49 170 1234567" });

    await call("whatsapp_send_text", { text: "Hello" });
    await call("whatsapp_send_text", { text: "Hello", to });

    expect(service.requests.map(({ body }) => JSON.parse(body).to)).toEqual(["491701234567", to]);
  });

  it("takes number, version and recipient of the environment, at each call [whatsapp.environment]", async () => {
    const { service, call } = await startWhatsApp({ phoneNumberId: undefined });
    vi.stubEnv("WHATSAPP_PHONE_NUMBER_ID", "222222");
    vi.stubEnv("WHATSAPP_VERSION", "v26.0");
    vi.stubEnv("WHATSAPP_RECIPIENT_WAID", "+49 170 1234567");

    await call("whatsapp_send_text", { text: "Hello" });

    expect(service.requests[0]?.path).toBe("/v26.0/222222/messages");
    expect(JSON.parse(service.requests[0]?.body ?? "").to).toBe("491701234567");
  });

  it.each<[name: string, value: string]>([
    ["WHATSAPP_PHONE_NUMBER_ID", "../me"],
    ["WHATSAPP_VERSION", "v1/../x"],
    ["WHATSAPP_RECIPIENT_WAID", "Ann"],
  ])("refuses a wrong %s without a request", async (name, value) => {
    const { service, call } = await startWhatsApp({ phoneNumberId: undefined });
    vi.stubEnv("WHATSAPP_PHONE_NUMBER_ID", "222222");
    vi.stubEnv("WHATSAPP_RECIPIENT_WAID", to);
    vi.stubEnv(name, value);

    const failing = call("whatsapp_send_text", { text: "Hello" });

    await expect(failing).rejects.toMatchObject({ code: "invalid_config", message: expect.stringContaining(name) });
    await expect(failing).rejects.not.toMatchObject({ message: expect.stringContaining(value) });
    expect(service.requests).toEqual([]);
  });

  it.each([
    "",
    "Ann",
    "0049 170",
    "1",
    "12345678901234567",
    "15551234567,15551234568",
    "+1555123456７",
    "1555123\n4567",
  ])("refuses the recipient %j without a request", async (recipient) => {
    const { service, call } = await startWhatsApp();

    await expect(call("whatsapp_send_text", { to: recipient, text: "x" })).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(service.requests).toEqual([]);
  });

  it("reads its token for each message, also after it could not be read", async () => {
    const tokens = ["EAAG-1", undefined, "EAAG-3"];
    const accessToken = async (): Promise<string> => {
      const token = tokens.shift();
      if (token === undefined) throw new Error("The vault is away.");
      return await Promise.resolve(token);
    };
    const { service, call } = await startWhatsApp({ accessToken });
    const send = async () => await call("whatsapp_send_text", { to, text: "x" });
    await send();
    await expect(send()).rejects.toThrow("accessToken");
    await send();

    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer EAAG-1", "Bearer EAAG-3"]);
  });

  it("hides the token in an answer that repeats it, with and without Bearer", async () => {
    const { service, call } = await startWhatsApp();
    const id = "wamid.EAAG-token.Bearer EAAG-token";
    service.answer({ body: JSON.stringify({ contacts: [{ wa_id: to }], messages: [{ id }] }) });

    expect(JSON.stringify(await call("whatsapp_send_text", { to, text: "x" }))).not.toContain("EAAG-token");
  });

  it("sends only to allowed recipients, and to recipientWaid [toolkit.allowed-recipients]", async () => {
    const { service, call } = await startWhatsApp({
      allowedRecipients: ["+1 555 123 4567"],
      recipientWaid: "491701234567",
    });

    await call("whatsapp_send_text", { to, text: "x" });
    await call("whatsapp_send_text", { text: "x" });
    const refused = call("whatsapp_send_text", { to: "15551234568", text: "x" });

    await expect(refused).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("nothing was sent"),
    });
    await expect(
      call("whatsapp_send_template", { to: "15551234568", name: "a", language: "en" }),
    ).rejects.toMatchObject({ code: "forbidden" });
    expect(service.requests).toHaveLength(2);
  });
});

/** The ways in which people write a number. */
const formsOf = ([country, area, line, last]: readonly [string, string, string, string]) => [
  `${country}${area}${line}${last}`,
  `+${country}${area}${line}${last}`,
  `+${country} ${area} ${line} ${last}`,
  ` +${country} (${area}) ${line}-${last} `,
  `${country}.${area}.${line}.${last}`,
  `+${country}-${area}-${line}${last}`,
];

describe.each(formsOf(["49", "151", "234", "5678"]))("a recipient that is allowed as %j", (allowed) => {
  it.each(["allowedRecipients", "recipientWaid", "WHATSAPP_RECIPIENT_WAID"])(
    "gets messages under each form of its number, and no other number does, by %s [toolkit.allowed-recipients]",
    async (from) => {
      if (from === "WHATSAPP_RECIPIENT_WAID") vi.stubEnv(from, allowed);
      const options = {
        allowedRecipients: [from === "allowedRecipients" ? allowed : "+1 555 123 4567"],
        ...(from === "recipientWaid" && { recipientWaid: allowed }),
      };
      const { service, call } = await startWhatsApp(options);
      const [forms, others] = [formsOf(["49", "151", "234", "5678"]), formsOf(["49", "151", "234", "5679"])];
      for (const form of forms) await call("whatsapp_send_text", { to: form, text: "x" });
      const refused = await Promise.allSettled(
        others.map((form) => call("whatsapp_send_text", { to: form, text: "x" })),
      );

      expect(service.requests.map(({ body }) => JSON.parse(body).to)).toEqual(forms.map(() => "491512345678"));
      expect(refused).toEqual(
        others.map(() => ({ status: "rejected", reason: expect.objectContaining({ code: "forbidden" }) })),
      );
    },
  );
});

const expected: Readonly<Record<string, readonly [problem: string, words: RegExp]>> = {
  "error-0": ["credential_refused", /expired or revoked.*new accessToken/],
  "error-190": ["credential_refused", /expired or revoked.*new accessToken/],
  "error-10": ["forbidden", /lacks a permission.*whatsapp_business_messaging/],
  "error-200": ["forbidden", /lacks a permission/],
  "error-100": ["refused", /refused an argument.*phoneNumberId/],
  "error-100-33": ["refused", /knows no number of this phoneNumberId/],
  "error-4": ["rate_limited", /too many.*Wait/],
  "error-80007": ["rate_limited", /too many.*Wait/],
  "error-130429": ["rate_limited", /too many.*Wait/],
  "error-131048": ["rate_limited", /too many.*Wait/],
  "error-131056": ["rate_limited", /to this recipient.*Wait/],
  "error-131008": ["refused", /misses a parameter/],
  "error-131009": ["refused", /refused an argument/],
  "error-131021": ["refused", /another recipient/],
  "error-131026": ["refused", /cannot deliver.*number/],
  "error-131030": ["forbidden", /recipients on its list/],
  "error-131031": ["forbidden", /restricted, locked/],
  "error-368": ["forbidden", /restricted, locked/],
  "error-131042": ["forbidden", /payment/],
  "error-131047": ["refused", /24 hours.*whatsapp_send_template/],
  "error-131049": ["refused", /marketing/],
  "error-131050": ["forbidden", /stopped/],
  "error-130497": ["forbidden", /country/],
  "error-132000": ["refused", /number of parameters/],
  "error-132001": ["not_found", /no approved template.*name and language/],
  "error-132005": ["refused", /too long/],
  "error-132007": ["refused", /policy/],
  "error-132012": ["refused", /another kind/],
  "error-132015": ["refused", /paused/],
  "error-133010": ["forbidden", /not registered|register the number/],
  "error-131000": ["outcome_unknown", /may have been carried out.*arrived/],
  "error-2": ["outcome_unknown", /may have been carried out.*arrived/],
};

describe("an error of the Graph API", () => {
  it("has a recorded answer and a sentence each", () => {
    const names = recordingNames(join(import.meta.dirname, "../test/__fixtures__"));

    expect(Object.keys(expected).toSorted()).toEqual(names.filter((name) => name.startsWith("error")).toSorted());
  });

  it.each(Object.entries(expected))("%s says what to do [whatsapp.errors]", async (name, [problem, words]) => {
    const { service, call } = await startWhatsApp();
    service.answer(() => recorded(name));

    const error: unknown = await call("whatsapp_send_text", { to, text: "x" }).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ fields: { problem }, message: expect.stringMatching(words) });
    expect(allTextOf(error)).not.toContain("Words-of-the-service");
    expect(service.requests).toHaveLength(1);
  });
});

describe("the options of WhatsAppToolkit", () => {
  it.each<[what: string, options: object, words: RegExp]>([
    ["a number with letters as its id", { phoneNumberId: "me/../x" }, /phoneNumberId/],
    ["a wrong version", { version: "25" }, /version/],
    ["a wrong default recipient", { recipientWaid: "Ann" }, /recipientWaid/],
    ["no allowed recipient", { allowedRecipients: [] }, /allowedRecipients must not be empty/],
    ["a wrong allowed recipient", { allowedRecipients: ["Ann"] }, /allowedRecipients\[0\]/],
    ["no tools", { enableSendText: false, enableSendTemplate: false }, /enableSendText and enableSendTemplate/],
    ["an unknown option", { token: "secret" }, /Unknown option "token"/],
    ["a token with a line break", { accessToken: "a\nb" }, /accessToken/],
  ])("refuse %s [whatsapp.config]", (_what, options, words) => {
    expect(() => new WhatsAppToolkit(options)).toThrow(words);
  });

  it("take any string of up to 30 digits as phoneNumberId, and say so of anything else [whatsapp.config]", () => {
    for (const phoneNumberId of ["1", "111", "1".repeat(30)]) {
      expect(() => new WhatsAppToolkit({ phoneNumberId })).not.toThrow();
    }
    for (const phoneNumberId of ["", "1".repeat(31), "+111", "１１１"]) {
      expect(() => new WhatsAppToolkit({ phoneNumberId })).toThrow("phoneNumberId must be a string of 1 to 30 digits");
    }
  });

  it("turn tools off [toolkit.enable-flags]", () => {
    const names = (options: object) => new WhatsAppToolkit(options).getTools().map(({ name }) => name);

    expect(names({})).toEqual(["whatsapp_send_text", "whatsapp_send_template"]);
    expect(names({ enableSendText: false })).toEqual(["whatsapp_send_template"]);
    expect(names({ enableSendTemplate: false })).toEqual(["whatsapp_send_text"]);
  });
});
