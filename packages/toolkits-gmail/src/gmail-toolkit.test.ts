import { join } from "node:path";
import { allTextOf, recordingNames } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { recorded, startGmail, toPlain } from "../test/gmail.ts";
import { GmailToolkit } from "./index.ts";

const authClient = { getAccessToken: async () => await Promise.resolve("ya29.token") };

describe("gmail_search", () => {
  it("returns short facts about the mails that match [gmail.search]", async () => {
    const { service, call } = await startGmail();

    const { content, artifacts } = toPlain(await call("gmail_search", { query: "from:ann is:unread", maxResults: 5 }));

    expect(content).toEqual({
      results: [
        {
          id: "18c1a2b3c4d5e6f1",
          threadId: "18c1a2b3c4d5e6f1",
          from: "Ann Lee <ann@example.com>",
          to: "me@example.com",
          subject: "Invoice 42",
          date: "2026-11-21T08:00:00.000Z",
          snippet: expect.stringMatching(/^It's 5 < 6/),
        },
        {
          id: "18c1a2b3c4d5e6f2",
          threadId: "18c1a2b3c4d5e6f1",
          from: "Zoë Müller <zoe@example.com>",
          to: "",
          subject: "Re: Invoice 42",
          date: "Sat, 21 Nov 2026 10:00:00 +0100",
          snippet: "Thanks",
        },
      ],
      note: expect.stringContaining("More mails match"),
    });
    expect(artifacts[0]?.data.hits).toEqual(content.results);
    const [list, ...gets] = service.requests;
    expect([list?.query.get("q"), list?.query.get("maxResults")]).toEqual(["from:ann is:unread", "5"]);
    for (const { query } of gets) {
      expect(query.get("format")).toBe("metadata");
      expect(query.getAll("metadataHeaders")).toEqual(["From", "To", "Subject", "Date"]);
    }
  });

  it("says when nothing matches", async () => {
    const { service, call } = await startGmail();
    service.answer(() => recorded("list-empty"));

    const { content } = toPlain(await call("gmail_search", { query: "x" }));

    expect(content).toEqual({ results: [], note: expect.stringContaining("found nothing") });
  });

  it("leaves out a mail that was deleted since", async () => {
    const { service, call } = await startGmail();
    service.answer(({ path }) =>
      recorded(path.endsWith("messages") ? "list" : path.endsWith("f1") ? "error-404" : "metadata-2"),
    );

    const { content } = toPlain(await call("gmail_search", { query: "x" }));

    expect(content.results.map(({ id }) => id)).toEqual(["18c1a2b3c4d5e6f2"]);
  });
});

describe("gmail_read", () => {
  it("returns headers, text and a list of attachments [gmail.read]", async () => {
    const { call } = await startGmail();

    expect(await call("gmail_read", { id: "18c1a2b3c4d5e6f1" })).toEqual({
      id: "18c1a2b3c4d5e6f1",
      threadId: "18c1a2b3c4d5e6f1",
      from: "Ann Lee <ann@example.com>",
      to: "me@example.com",
      cc: "Bob <bob@example.com>",
      replyTo: "desk@example.com",
      subject: "Invoice 42",
      date: "2026-11-21T08:00:00.000Z",
      messageId: "<CAF3=b@mail.example.com>",
      references: ["<CAF1=a@mail.example.com>", "<CAF2=a@mail.example.com>"],
      text: "Dear Ann,\nthe price is 5 €.",
      attachments: [{ filename: "invoice 42.pdf", mimeType: "application/pdf", bytes: 52340 }],
    });
  });

  it("returns the text of HTML [gmail.read]", async () => {
    const { service, call } = await startGmail();
    service.answer(() => recorded("message-html"));

    expect(await call("gmail_read", { id: "18c1a2b3c4d5e6f2" })).toMatchObject({
      text: expect.stringMatching(/^Sale\n+All & everything\nnow$/),
    });
  });

  it("cuts a long text, not within a character, and says so [gmail.max-text]", async () => {
    const { service, call } = await startGmail({ maxTextLength: 101 });
    const data = Buffer.from("🎉".repeat(500)).toString("base64url");
    service.answer({ body: JSON.stringify({ id: "1", payload: { mimeType: "text/plain", body: { data } } }) });

    expect(await call("gmail_read", { id: "1" })).toMatchObject({
      text: "🎉".repeat(50),
      note: "The text was cut: these are the first 100 of 1000 characters.",
    });
  });

  it.each([
    [49, 49, ""],
    [50, 50, ""],
    [51, 50, " 1 more attachments are not listed."],
    [53, 50, " 3 more attachments are not listed."],
  ])("lists at most 50 attachments, and says how many more there are: %i", async (length, listed, more) => {
    const { service, call } = await startGmail();
    const part = { mimeType: "image/png", filename: "a.png", body: { attachmentId: "A", size: 1 } };
    const payload = { mimeType: "multipart/mixed", parts: Array.from({ length }, () => part) };
    service.answer({ body: JSON.stringify({ id: "1", payload }) });

    const { attachments, note } = toPlain(await call("gmail_read", { id: "1" }));

    expect(attachments).toHaveLength(listed);
    expect(note).toBe(`The mail has no text.${more}`);
  });

  it.each(["../../v1/users/me/drafts", "a/b", "a?b", "..", "a b", ""])(
    "refuses the id %j without a request",
    async (id) => {
      const { service, call } = await startGmail();

      await expect(call("gmail_read", { id })).rejects.toMatchObject({ code: "invalid_request" });
      expect(service.requests).toEqual([]);
    },
  );
});

const expected: Readonly<Record<string, readonly [problem: string, words: RegExp]>> = {
  "error-400-argument": ["refused", /refused the request/],
  "error-400-no-mailbox": ["refused", /no mailbox.*Gmail/],
  "error-401": ["credential_refused", /authClient.*Authorize/],
  "error-403-permissions": ["forbidden", /lacks the permission.*token command again \(npx/],
  "error-403-rate": ["rate_limited", /Wait/],
  "error-403-user-rate": ["rate_limited", /Wait/],
  "error-403-daily": ["quota_exceeded", /limit for today.*tomorrow/],
  "error-403-not-enabled": ["forbidden", /Enable the Gmail API/],
  "error-403-domain": ["forbidden", /administrator/],
  "error-404": ["not_found", /no mail or thread of this id.*gmail_search/],
  "error-413": ["refused", /too large/],
  "error-429": ["rate_limited", /Wait/],
  "error-500": ["unavailable", /Try again later/],
  "error-503": ["unavailable", /Try again later/],
};

describe("an error of Gmail", () => {
  it("has a recorded answer and a sentence each", () => {
    const names = recordingNames(join(import.meta.dirname, "../test/__fixtures__"));

    expect(Object.keys(expected).toSorted()).toEqual(names.filter((name) => name.startsWith("error")).toSorted());
  });

  it.each(Object.entries(expected))("%s says what to do [gmail.errors]", async (name, [problem, words]) => {
    const { service, call } = await startGmail();
    service.answer(() => recorded(name));

    const error: unknown = await call("gmail_read", { id: "1" }).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ fields: { problem }, message: expect.stringMatching(words) });
    expect(allTextOf(error)).not.toContain("Words-of-the-service");
  });
});

describe("the options of GmailToolkit", () => {
  it.each<[what: string, options: object, words: RegExp]>([
    ["no object", null as unknown as object, /must be an object/],
    ["nothing", {}, /needs tokenPath.*authClient/],
    ["credentials alone", { credentialsPath: "c.json" }, /needs tokenPath/],
    ["two sources of tokens", { authClient, tokenPath: "t.json" }, /excludes/],
    ["an authClient without its method", { authClient: {} }, /getAccessToken/],
    ["no allowed recipient", { authClient, allowedRecipients: [] }, /must not be empty/],
    ["a wrong allowed recipient", { authClient, allowedRecipients: ["example.com"] }, /allowedRecipients\[0\]/],
    [
      "allowed recipients without sending",
      { authClient, enableSend: false, allowedRecipients: ["@x.org"] },
      /no effect/,
    ],
    ["results without searching", { authClient, enableSearch: false, maxResults: 3 }, /no effect/],
    ["text without reading", { authClient, enableRead: false, maxTextLength: 300 }, /no effect/],
    ["no tools", { authClient, enableSend: false, enableSearch: false, enableRead: false }, /has no tools/],
    ["an unknown option", { authClient, token: "secret" }, /Unknown option "token"/],
  ])("refuse %s [gmail.config]", (_what, options, words) => {
    expect(() => new GmailToolkit(options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(words) }),
    );
  });

  it("turn tools off [toolkit.enable-flags]", () => {
    const names = (options: object) => new GmailToolkit({ authClient, ...options }).getTools().map(({ name }) => name);

    expect(names({})).toEqual(["gmail_send", "gmail_search", "gmail_read"]);
    expect(names({ enableSend: false })).toEqual(["gmail_search", "gmail_read"]);
    expect(names({ enableSearch: false, enableRead: false })).toEqual(["gmail_send"]);
  });
});
