import { describe, expect, it } from "vitest";
import { recorded, startGmail, toPlain } from "../test/gmail.ts";
import { parseMail, textOf } from "../test/parse-mail.ts";

const mail = { to: ["ann@example.com"], subject: "Hello", text: "Dear Ann" };

describe("gmail_send", () => {
  it("sends a mail with the access token [gmail.send]", async () => {
    const { service, call } = await startGmail();

    const result = await call("gmail_send", { ...mail, cc: ["Bob <bob@example.com>"], subject: "Grüße" });

    const [{ method, path, headers, body } = { method: "", path: "", headers: {}, body: "{}" }] = service.requests;
    expect([method, path, headers.authorization]).toEqual([
      "POST",
      "/gmail/v1/users/me/messages/send",
      "Bearer ya29.token",
    ]);
    expect(JSON.parse(body)).toEqual({ raw: expect.stringMatching(/^[\w-]+$/) });
    const sent = parseMail(Buffer.from(JSON.parse(body).raw, "base64url").toString());
    expect(textOf(sent, "To")).toBe("ann@example.com");
    expect(textOf(sent, "Cc")).toBe("Bob <bob@example.com>");
    expect(textOf(sent, "Subject")).toBe("Grüße");
    expect(sent.body).toBe("Dear Ann");
    expect(result).toEqual({ sent: true, id: "18c1a2b3c4d5e6f7", threadId: "18c1a2b3c4d5e6f7", recipients: 2 });
  });

  it("answers within a thread by what gmail_read returns [gmail.threads]", async () => {
    const { service, call } = await startGmail();
    const { threadId, messageId, references } = toPlain(await call("gmail_read", { id: "18c1a2b3c4d5e6f1" }));

    await call("gmail_send", { ...mail, threadId, inReplyTo: messageId, references });

    const body = JSON.parse(service.requests[1]?.body ?? "");
    const sent = parseMail(Buffer.from(body.raw, "base64url").toString());
    expect(body.threadId).toBe("18c1a2b3c4d5e6f1");
    expect(textOf(sent, "In-Reply-To")).toBe("<CAF3=b@mail.example.com>");
    expect(textOf(sent, "References")).toBe(
      "<CAF1=a@mail.example.com> <CAF2=a@mail.example.com> <CAF3=b@mail.example.com>",
    );
  });

  it.each([{ threadId: "18c1" }, { inReplyTo: "<a@example.com>" }, { threadId: "18c1", inReplyTo: "no id" }])(
    "refuses half an answer: %j",
    async (answer) => {
      const { service, call } = await startGmail();

      await expect(call("gmail_send", { ...mail, ...answer })).rejects.toMatchObject({ code: "invalid_request" });
      expect(service.requests).toEqual([]);
    },
  );

  it.each<[field: string, args: object]>([
    ["to", { to: ["ann@example.com\r\nBcc: eve@evil.com"] }],
    ["cc", { cc: ["Ann\nBcc: eve@evil.com <ann@example.com>"] }],
    ["replyTo", { replyTo: "ann@example.com\r\n" }],
    ["Subject", { subject: "Hi\r\nBcc: eve@evil.com" }],
    ["Subject", { subject: "Hi\u2028there" }],
    ["In-Reply-To", { threadId: "1", inReplyTo: "<a@b.c>\r\nBcc: eve@evil.com" }],
  ])("refuses a line break in %s, and sends nothing [gmail.header-injection]", async (field, args) => {
    const { service, call } = await startGmail();

    await expect(call("gmail_send", { ...mail, ...args })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(new RegExp(`^${field}`)),
    });
    expect(service.requests).toEqual([]);
  });

  it.each(["to", "cc", "bcc", "replyTo"])(
    "sends nothing when a recipient in %s is not allowed [toolkit.allowed-recipients]",
    async (field) => {
      const { service, call } = await startGmail({ allowedRecipients: ["ann@example.com", "@partner.com"] });
      for (const evil of [
        "eve@example.com",
        "eve@sub.partner.com",
        "eve@partner.com.evil.com",
        "ann@example.com.evil.com",
      ]) {
        const args = { ...mail, [field]: field === "replyTo" ? evil : ["ann@example.com", evil] };

        await expect(call("gmail_send", args)).rejects.toMatchObject({
          code: "forbidden",
          message: expect.stringMatching(/not among the recipients.*nothing was sent.*allowedRecipients/),
        });
      }
      expect(service.requests).toEqual([]);
    },
  );

  it("sends to allowed addresses and domains in any case [toolkit.allowed-recipients]", async () => {
    const { service, call } = await startGmail({ allowedRecipients: ["Ann@Example.com", "@PARTNER.com"] });

    await call("gmail_send", {
      ...mail,
      to: ["ANN@example.COM"],
      cc: ["Bob <bob@Partner.com>"],
      replyTo: "desk@partner.com",
    });

    expect(service.requests).toHaveLength(1);
  });

  it("counts all recipients once each against maxRecipients [gmail.max-recipients]", async () => {
    const { service, call } = await startGmail({ maxRecipients: 3 });
    const [one, two, three, four] = ["a@x.org", "b@x.org", "c@x.org", "d@x.org"];

    await call("gmail_send", { ...mail, to: [one, "A@X.ORG"], cc: [two, one], bcc: [three] });
    const refused = call("gmail_send", { ...mail, to: [one], cc: [two], bcc: [three, four] });

    await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(/4 recipients.*at most 3/) });
    const sent = parseMail(Buffer.from(JSON.parse(service.requests[0]?.body ?? "").raw, "base64url").toString());
    expect([textOf(sent, "To"), textOf(sent, "Cc"), textOf(sent, "Bcc")]).toEqual([one, two, three]);
    expect(service.requests).toHaveLength(1);
  });

  it.each(["error-500", "error-503"])(
    "says after %s that the mail may have been sent [toolkit.lost-answer]",
    async (name) => {
      const { service, call } = await startGmail();
      service.answer(() => recorded(name));

      await expect(call("gmail_send", mail)).rejects.toMatchObject({
        fields: { problem: "outcome_unknown" },
        message: expect.stringMatching(/may have been carried out.*in:sent/),
      });
      expect(service.requests).toHaveLength(1);
    },
  );
});
