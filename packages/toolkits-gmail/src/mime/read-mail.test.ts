import { describe, expect, it } from "vitest";
import { decodeHeader, readParameter } from "./decode-header.ts";
import { readMail } from "./read-mail.ts";

type Part = Readonly<Record<string, unknown>>;

const encode = (text: string | Uint8Array) => Buffer.from(text).toString("base64url");

function part(mimeType: string, data: string | Uint8Array, more: { charset?: string; filename?: string } = {}): Part {
  const { charset, filename = "" } = more;
  const type = charset === undefined ? mimeType : `${mimeType}; charset="${charset}"`;
  return {
    mimeType,
    filename,
    headers: [{ name: "content-type", value: type }],
    body: { size: data.length, data: encode(data) },
  };
}

const multipart = (kind: string, ...parts: Part[]): Part => ({
  mimeType: `multipart/${kind}`,
  body: { size: 0 },
  parts,
});
const attached = (filename: string): Part => ({
  mimeType: "application/pdf",
  filename,
  body: { attachmentId: "ANGjdJ8", size: 1234 },
});

describe("readMail", () => {
  it("reads plain text, and prefers it to HTML [gmail.read]", () => {
    const mail = multipart("alternative", part("text/plain", "Plain"), part("text/html", "<p>HTML</p>"));

    expect(readMail(mail)).toEqual({ text: "Plain", attachments: [] });
  });

  it.each(["related", "mixed", "alternative"])(
    "prefers plain text also to HTML within a multipart/%s, wherever it stands [gmail.read]",
    (kind) => {
      const html = multipart(kind, part("text/html", "<p>HTML</p>"));
      const plain = part("text/plain", "Schön");

      for (const parts of [
        [html, plain],
        [plain, html],
      ])
        expect(readMail(multipart("alternative", ...parts)).text).toBe("Schön");
    },
  );

  it("reads HTML as text, without styles, scripts and comments [gmail.read]", () => {
    const html = "<style>p{}</style><script>alert(1)</script><!-- no --><p>Dear Ann,</p><p>5 &lt; 6 &amp; 7<br>Bob</p>";

    expect(readMail(part("text/html", html)).text).toMatch(/^Dear Ann,\n+5 < 6 & 7\nBob$/);
  });

  it.each<[html: string, text: string]>([
    ['<a href="https://x.org/?a=1&amp;b=2">Confirm</a> now', "Confirm (https://x.org/?a=1&b=2) now"],
    ["<A class=x HREF='https://x.org'><b>Go</b></A>", "Go (https://x.org)"],
    ["<a href=https://x.org/a>One</a><a href=https://x.org/b>Two</a>", "One (https://x.org/a)Two (https://x.org/b)"],
    ['<a href="https://x.org/">https://x.org/</a>', "https://x.org/"],
    ['<a href="https://x.org">x.org</a>', "x.org"],
    ['<a href="mailto:ann@x.org">ann@x.org</a>', "ann@x.org"],
    ['<a href="javascript:alert(1)">Click</a>', "Click"],
    [`<a href="https://x.org/${"a".repeat(500)}">Long</a>`, "Long"],
    ['<a name="top">Top</a> <a data-href="https://x.org">No</a>', "Top No"],
    ['<a href="https://x.org">never closed', "never closed"],
    ['<a href="https://x.org/&lt;b&gt;">Odd</a>', "Odd (https://x.org/<b>)"],
  ])("shows the address of the link in %s [gmail.links]", (html, text) => {
    expect(readMail(part("text/html", html)).text).toBe(text);
  });

  it("takes little time for hostile HTML", () => {
    for (const piece of ["<a ", "<a href=", "<a href='", '<a href="x">', "</a", "<a  \n", "<a x "]) {
      expect(readMail(part("text/html", piece.repeat(200_000))).text.length).toBeLessThanOrEqual(200_000);
    }
  });

  it("takes HTML where the plain text is blank", () => {
    const mail = multipart("alternative", part("text/plain", " \r\n"), part("text/html", "<b>Only here</b>"));

    expect(readMail(mail).text).toBe("Only here");
  });

  it("reads nested parts in order, and lists attachments without their content [gmail.read]", () => {
    const mail = multipart(
      "mixed",
      multipart("related", multipart("alternative", part("text/plain", "First"), part("text/html", "<p>First</p>")), {
        mimeType: "image/png",
        filename: "logo.png",
        body: { attachmentId: "A1", size: 99 },
      }),
      attached("bill.pdf"),
      part("text/plain", "Notes", { filename: "notes.txt" }),
      part("text/plain", "Footer of the list"),
    );

    expect(readMail(mail)).toEqual({
      text: "First\n\nFooter of the list",
      attachments: [
        { filename: "logo.png", mimeType: "image/png", bytes: 99 },
        { filename: "bill.pdf", mimeType: "application/pdf", bytes: 1234 },
        { filename: "notes.txt", mimeType: "text/plain", bytes: 5 },
      ],
    });
  });

  it.each<[charset: string, bytes: number[], text: string]>([
    ["utf-8", [0xc3, 0xbc], "ü"],
    ["iso-8859-1", [0xfc], "ü"],
    ["windows-1252", [0x80], "€"],
    ["iso-8859-15", [0xa4], "€"],
    ["koi8-r", [0xd0, 0xd2], "пр"],
    ["shift_jis", [0x93, 0xfa], "日"],
    ["gb18030", [0xc4, 0xe3], "你"],
    ["us-ascii", [0xc3, 0xbc], "ü"],
    ["x-unknown", [0xc3, 0xbc], "ü"],
    ["x-unknown", [0xfc], "ü"],
    ["", [0xfc], "ü"],
  ])("decodes the charset %j of %j", (charset, bytes, text) => {
    expect(readMail(part("text/plain", new Uint8Array(bytes), { charset })).text).toBe(text);
  });

  it("takes out what cannot be seen, and keeps lines", () => {
    const hidden = "a\u0000\u200Bb\u202Ec\u{E0041}\r\nd\re\n\n\n\n\nf";

    expect(readMail(part("text/plain", hidden)).text).toBe("a bc\nd\ne\n\nf");
  });

  it.each<[what: string, payload: Part]>([
    ["nothing", {}],
    ["no data", { mimeType: "text/plain", body: {} }],
    ["a text that Gmail keeps apart", { mimeType: "text/plain", body: { attachmentId: "A1", size: 9_000_000 } }],
    ["wrong types everywhere", { mimeType: 1, headers: "x", body: [], parts: 5, filename: {} }],
    ["parts of wrong types", { mimeType: "multipart/mixed", parts: [null, 1, "x", {}] }],
    ["data that is no base64", { mimeType: "text/plain", body: { data: "" } }],
  ])("reads %s as a mail without text", (_what, payload) => {
    expect(readMail(payload).text).toBe("");
  });

  it("does not read parts that are nested too deeply", () => {
    let mail = part("text/plain", "deep");
    for (let depth = 0; depth < 5000; depth++) mail = multipart("mixed", mail);

    expect(readMail(mail)).toEqual({ text: "", attachments: [] });
  });
});

describe("a header of a mail", () => {
  it.each<[written: string, shown: string]>([
    ["Invoice 42", "Invoice 42"],
    ["=?UTF-8?B?R3LDvMOfZQ==?= aus =?utf-8?q?K=C3=B6ln?=", "Grüße aus Köln"],
    ["=?iso-8859-1?Q?Andr=E9_Lee?= <a@x.org>", "André Lee <a@x.org>"],
    ["=?UTF-8?B?w7w=?=\r\n =?UTF-8?B?w7w=?=", "üü"],
    ["=?UTF-8?Q?=C3?= =?UTF-8?Q?=BC?=", "ü"],
    ["=?utf-8*en?Q?hi?=", "hi"],
    ["=?x-unknown?Q?=FC?=", "ü"],
    ["=?UTF-8?B?broken", "=?UTF-8?B?broken"],
    ["Grüße", "Grüße"],
    ["a\r\nBcc: b@x.org", "a Bcc: b@x.org"],
    ["=?UTF-8?Q?a=0D=0ABcc:_b=00?=", "a Bcc: b"],
  ])("%j is shown as %j", (written, shown) => {
    expect(decodeHeader(written)).toBe(shown);
  });

  it.each<[header: string, name: string, value: string]>([
    ['text/plain; charset="utf-8"', "charset", "utf-8"],
    ["text/plain; CHARSET=koi8-r; format=flowed", "charset", "koi8-r"],
    ['attachment; filename="a \\"b\\".pdf"', "filename", 'a "b".pdf'],
    ["attachment; filename*=UTF-8''%e2%82%ac%20rates.pdf", "filename", "€ rates.pdf"],
    ["attachment; filename=\"x.pdf\"; filename*=iso-8859-1'en'%A3.pdf", "filename", "£.pdf"],
    ["attachment; filename*0*=utf-8''%e2%82; filename*1*=%ac; filename*2=\" 100%.pdf\"", "filename", "€ 100%.pdf"],
    ['attachment; filename*0="long "; filename*1="name%20.pdf"', "filename", "long name%20.pdf"],
    ["text/plain", "charset", ""],
    ["", "charset", ""],
  ])("%s has the parameter %s: %j [gmail.mime]", (header, name, value) => {
    expect(readParameter(header, name)).toBe(value);
  });
});
