import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMail, textOf } from "../../test/parse-mail.ts";
import { parseAddress } from "./address.ts";
import { buildMail } from "./build-mail.ts";

const ann = { address: "ann@example.com" };
const hello = { to: [ann], subject: "Hello", text: "Hi" };

describe("buildMail", () => {
  it("writes each header once, with CRLF, and the text in base64 [gmail.mime]", () => {
    const raw = buildMail({
      to: [ann, { name: "Bob Lee", address: "bob@example.com" }],
      cc: [{ name: "Zoë Müller", address: "zoe@example.com" }],
      bcc: [{ address: "eve@example.com" }],
      replyTo: { name: "Lee, Bob", address: "desk@example.com" },
      subject: "Invoice 42",
      text: "Dear Ann,\nthe price is 5 €.\n",
    });

    expect(raw).toBe(
      [
        "To: ann@example.com,",
        " Bob Lee <bob@example.com>",
        "Cc: =?UTF-8?B?Wm/DqyBNw7xsbGVy?=",
        " <zoe@example.com>",
        "Bcc: eve@example.com",
        'Reply-To: "Lee, Bob" <desk@example.com>',
        "Subject: Invoice 42",
        "MIME-Version: 1.0",
        'Content-Type: text/plain; charset="UTF-8"',
        "Content-Transfer-Encoding: base64",
        "",
        "RGVhciBBbm4sDQp0aGUgcHJpY2UgaXMgNSDigqwuDQo=",
        "",
      ].join("\r\n"),
    );
  });

  it.each([
    ["with the mails before it", ["<a@x.org>", "<b@x.org>"], "<a@x.org> <b@x.org>"],
    ["that the mails before it do not name", ["<a@x.org>", "<c@x.org>"], "<a@x.org> <c@x.org> <b@x.org>"],
    ["that comes first among them", ["<b@x.org>", "<a@x.org>"], "<a@x.org> <b@x.org>"],
    ["without others", [], "<b@x.org>"],
    ["whose others are unknown", undefined, "<b@x.org>"],
  ])("puts an answer under the mail that it answers, %s", (_what, references, expected) => {
    const { headers } = parseMail(buildMail({ ...hello, inReplyTo: "<b@x.org>", references }));

    expect(headers).toContainEqual(["In-Reply-To", "<b@x.org>"]);
    expect(headers).toContainEqual(["References", expected]);
  });

  it.each<[what: string, subject: string]>([
    ["umlauts", "Grüße aus Köln"],
    ["characters beyond the basic plane, never divided", "🎉".repeat(60)],
    ["a long line of short words", "word ".repeat(60).trim()],
    ["a long word", "x".repeat(300)],
    ["spaces in a row and at the ends", "  a  b  "],
    ["what looks like an encoded word", "=?UTF-8?B?SGk=?="],
  ])("keeps a subject with %s, on lines of at most 78 characters [gmail.mime]", (_what, subject) => {
    const mail = parseMail(buildMail({ ...hello, subject }));

    expect(textOf(mail, "Subject")).toBe(subject);
    for (const line of mail.lines) expect(line.length).toBeLessThanOrEqual(78);
  });

  it("keeps any subject, name and text, and adds no header [gmail.header-injection]", () => {
    const plain = fc
      .string({ unit: "binary", minLength: 1, maxLength: 200 })
      .filter((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text));
    fc.assert(
      fc.property(plain, plain, fc.string({ unit: "binary", maxLength: 500 }), (subject, name, text) => {
        const mail = parseMail(buildMail({ to: [{ ...ann, name }], subject, text }));

        expect(mail.headers.map(([header]) => header)).toEqual([
          "To",
          "Subject",
          "MIME-Version",
          "Content-Type",
          "Content-Transfer-Encoding",
        ]);
        expect(textOf(mail, "Subject")).toBe(subject);
        expect(unquote(textOf(mail, "To") ?? "")).toBe(`${name} <ann@example.com>`);
        expect(mail.body).toBe(text.toWellFormed().replaceAll(/\r\n|\r|\n/g, "\r\n"));
        for (const line of mail.lines) expect(line.length).toBeLessThanOrEqual(300);
      }),
    );
  });

  it("refuses a line break or control character in any header [gmail.header-injection]", () => {
    const breaking = fc.constantFrom(
      "\r\n",
      "\n",
      "\r",
      "\0",
      "\v",
      "\f",
      "\t",
      "\u0085",
      "\u2028",
      "\u2029",
      "\u001b",
    );
    const place = fc.constantFrom("to", "name", "subject", "inReplyTo", "references", "replyTo");
    fc.assert(
      fc.property(
        fc.string({ maxLength: 20 }),
        breaking,
        fc.tuple(fc.string({ maxLength: 20 }), place),
        (before, control, [after, where]) => {
          const evil = `${before}${control}${after}`;
          const answer = { ...hello, inReplyTo: "<a@x.org>", references: ["<a@x.org>"] };
          const attempts = {
            to: () => parseAddress("to", `a${evil}@example.com`),
            name: () => buildMail({ ...hello, to: [{ ...ann, name: evil }] }),
            subject: () => buildMail({ ...hello, subject: evil }),
            inReplyTo: () => buildMail({ ...answer, inReplyTo: `<a${evil}@x.org>` }),
            references: () => buildMail({ ...answer, references: [`<a${evil}@x.org>`] }),
            replyTo: () => parseAddress("replyTo", `${evil} <ann@example.com>`),
          };

          expect(attempts[where]).toThrow(expect.objectContaining({ code: "invalid_request" }));
        },
      ),
    );
  });
});

/** Takes the quotation marks of a name away. */
function unquote(header: string): string {
  return header.replace(/^"((?:[^"\\]|\\.)*)" /, (_, name: string) => `${name.replaceAll(/\\(.)/g, "$1")} `);
}
