import { describe, expect, it } from "vitest";
import { startGmail } from "../test/gmail.ts";

/** Reads a mail with these headers and this text. */
async function read(headers: Readonly<Record<string, string>>, text = "Hi", id = "1") {
  const { service, call } = await startGmail({ maxTextLength: 100 });
  const payload = {
    mimeType: "text/plain",
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: { data: Buffer.from(text).toString("base64url") },
  };
  service.answer(() => ({ body: JSON.stringify({ id, threadId: "t", payload }) }));
  return { service, content: await call("gmail_read", { id }) };
}

const plain = { id: "1", threadId: "t", from: "", to: "", subject: "", date: "", text: "Hi" };

describe("gmail_read", () => {
  it("asks for the whole mail by its id", async () => {
    const { service } = await read({}, "Hi", "a_B-9".padEnd(64, "x"));

    expect(service.requests.map(({ method, path, query }) => [method, path, String(query)])).toEqual([
      ["GET", `/gmail/v1/users/me/messages/${"a_B-9".padEnd(64, "x")}`, "format=full"],
    ]);
  });

  it.each(["x".repeat(65), "ä", "1\n"])("refuses the id %j", async (id) => {
    const { service, call } = await startGmail();

    await expect(call("gmail_read", { id })).rejects.toMatchObject({
      code: "invalid_request",
      message: "id must be the id of a mail. Use one that gmail_search returned.",
    });
    expect(service.requests).toEqual([]);
  });

  it.each<[string, Record<string, string>, object]>([
    ["nothing", {}, {}],
    ["copies", { Cc: "b@x.org", "Reply-To": "c@x.org" }, { cc: "b@x.org", replyTo: "c@x.org" }],
    ["names in code", { CC: "=?UTF-8?B?Wm/Dqw==?= <z@x.org>" }, { cc: "Zoë <z@x.org>" }],
    ["its message id", { "Message-ID": " <a@b> " }, { messageId: "<a@b>" }],
    ["a damaged message id", { "Message-ID": "a@b" }, {}],
    ["references", { References: "<a@b>\r\n <c@d> x" }, { references: ["<a@b>", "<c@d>"] }],
    ["no references", { References: "none" }, {}],
    ["its own date", { Date: "Sat, 21 Nov 2026 10:00:00 +0100" }, { date: "Sat, 21 Nov 2026 10:00:00 +0100" }],
  ])("tells of %s", async (_, headers, more) => {
    expect((await read(headers)).content).toEqual({ ...plain, ...more });
  });

  it("tells the last 50 references", async () => {
    const ids = Array.from({ length: 52 }, (_, index) => `<${index}@x.org>`);

    expect((await read({ References: ids.join(" ") })).content).toEqual({ ...plain, references: ids.slice(2) });
  });

  it.each<[number, string | undefined]>([
    [100, undefined],
    [101, "The text was cut: these are the first 100 of 101 characters."],
    [0, "The mail has no text."],
  ])("says what is not shown of %i characters", async (length, note) => {
    const { content } = await read({}, "a".repeat(length));

    expect(content).toEqual({ ...plain, text: "a".repeat(Math.min(length, 100)), ...(note !== undefined && { note }) });
  });
});
