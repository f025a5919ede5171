import { describe, expect, it } from "vitest";
import { startGmail } from "../test/gmail.ts";
import { parseMail, textOf } from "../test/parse-mail.ts";

const mail = { to: ["ann@example.com"], subject: "Hello", text: "Dear Ann" };

describe("the tools of Gmail", () => {
  it("have their parameters, limits and effects", async () => {
    const { toolkit } = await startGmail({ maxRecipients: 7, maxResults: 5, timeoutMs: 1000 });
    const [send, search, read] = toolkit.getTools();
    const some = expect.any(String) as unknown;
    const list = (most: number, least: number) => ({
      type: "array",
      description: some,
      items: { type: "string", minLength: least, maxLength: 500 },
      maxItems: most,
    });
    const id = { type: "string", description: some, minLength: 1, maxLength: 500 };

    expect(send).toMatchObject({ name: "gmail_send", effect: "once", timeoutMs: 6000 });
    expect(send?.parameters).toEqual({
      type: "object",
      properties: {
        to: { ...list(7, 3), minItems: 1 },
        cc: list(7, 3),
        bcc: list(7, 3),
        replyTo: id,
        subject: { ...id, maxLength: 500 },
        text: { ...id, maxLength: 100_000 },
        threadId: id,
        inReplyTo: id,
        references: list(50, 5),
      },
      required: ["to", "subject", "text"],
      additionalProperties: false,
    });
    expect(search).toMatchObject({ name: "gmail_search", effect: "pure", timeoutMs: 6000 });
    expect(search?.parameters).toEqual({
      type: "object",
      properties: {
        query: { type: "string", description: some, minLength: 1, maxLength: 400 },
        maxResults: {
          type: "integer",
          description: "Number of mails to return, at most 5, which is also the default.",
          minimum: 1,
          maximum: 5,
        },
      },
      required: ["query"],
      additionalProperties: false,
    });
    expect(read).toMatchObject({ name: "gmail_read", effect: "pure", timeoutMs: 6000 });
    expect(read?.parameters).toEqual({
      type: "object",
      properties: { id: { type: "string", description: some, minLength: 1, maxLength: 64 } },
      required: ["id"],
      additionalProperties: false,
    });
  });

  it("name the allowed recipients only where there are some", async () => {
    const describeSend = async (options: object) => (await startGmail(options)).toolkit.getTools()[0]?.description;

    expect(await describeSend({})).not.toContain("Only recipients");
    expect(await describeSend({ allowedRecipients: ["@x.org"] })).toContain("Only recipients that the operator");
  });
});

describe("gmail_send", () => {
  it("sends each field in its header, as JSON, and tells no thread of a mail that is no answer", async () => {
    const { service, call } = await startGmail();
    await call("gmail_send", { ...mail, bcc: ["eve@example.com"], replyTo: "desk@example.com" });
    const { headers, body = "" } = service.requests[0] ?? {};
    const sent = JSON.parse(body) as { raw: string };
    const { raw } = sent;
    const read = parseMail(Buffer.from(raw, "base64url").toString());

    expect(headers?.["content-type"]).toBe("application/json");
    expect(Object.keys(sent)).toEqual(["raw"]);
    expect(["To", "Bcc", "Reply-To", "Subject"].map((name) => textOf(read, name))).toEqual([
      "ann@example.com",
      "eve@example.com",
      "desk@example.com",
      "Hello",
    ]);
  });

  it.each<[string, number]>([
    ["subject", 500],
    ["text", 100_000],
  ])("takes a %s of %i characters, and no longer and no blank one", async (name, longest) => {
    const { service, call } = await startGmail();
    await call("gmail_send", { ...mail, [name]: "a".repeat(longest) });

    for (const wrong of ["a".repeat(longest + 1), " \n", undefined, 7]) {
      await expect(call("gmail_send", { ...mail, [name]: wrong })).rejects.toMatchObject({
        code: "invalid_request",
        message: `${name} must be a text of 1 to ${longest} characters that is not blank.`,
      });
    }
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ["a\r\nb", "a\r\nb"],
    ["a\nb", "a\r\nb"],
    ["a\rb", "a\r\nb"],
    ["a\r\n\r\nb\n\nc\r\rd\n\re", "a\r\n\r\nb\r\n\r\nc\r\n\r\nd\r\n\r\ne"],
    ["Zoë 🎭\n", "Zoë 🎭\r\n"],
    ["a\ud83cb", "a\ufffdb"],
  ])("ends each line of the text %j by CR LF alone", async (text, sent) => {
    const { service, call } = await startGmail();
    await call("gmail_send", { ...mail, text });
    const { raw } = JSON.parse(service.requests[0]?.body ?? "") as { raw: string };

    expect(parseMail(Buffer.from(raw, "base64url").toString()).body).toBe(sent);
  });

  it.each([75, 76, 77, 152, 153])(
    "has no line longer than 76 characters for a text of %i bytes in base64",
    async (length) => {
      const { service, call } = await startGmail();
      await call("gmail_send", { ...mail, text: "é".repeat(Math.ceil((length * 3) / 8)) });
      const { raw } = JSON.parse(service.requests[0]?.body ?? "") as { raw: string };
      const lines = Buffer.from(raw, "base64url").toString().split("\r\n");

      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76);
    },
  );

  it("names the last 50 mails before the one that it answers", async () => {
    const { service, call } = await startGmail();
    const references = Array.from({ length: 52 }, (_, index) => `<${index}@x.org>`);
    await call("gmail_send", { ...mail, threadId: "t", inReplyTo: "<a@x.org>", references });
    const { raw } = JSON.parse(service.requests[0]?.body ?? "") as { raw: string };

    expect(textOf(parseMail(Buffer.from(raw, "base64url").toString()), "References")).toBe(
      [...references.slice(2), "<a@x.org>"].join(" "),
    );
  });

  it("shows ids of bounded length", async () => {
    const { service, call } = await startGmail();
    service.answer(() => ({ body: JSON.stringify({ id: "i".repeat(200), threadId: 7 }) }));

    expect(await call("gmail_send", { ...mail, cc: ["b@x.org"], bcc: ["c@x.org"] })).toEqual({
      sent: true,
      id: `${"i".repeat(99)}…`,
      threadId: "",
      recipients: 3,
    });
  });
});
