import { describe, expect, it } from "vitest";
import { isRecipientEntry, readRecipients } from "./recipients.ts";
import type { RecipientLimits } from "./recipients.ts";

const read = (args: Readonly<Record<string, unknown>>, limits: Partial<RecipientLimits> = {}) =>
  readRecipients(args, { maxRecipients: 10, ...limits });

const refused = (code: string, start: string) =>
  expect.objectContaining({ code, message: expect.stringMatching(new RegExp(`^${start}`)) as string }) as Error;

/** Returns true if a mail would be sent, or by which code it is refused. */
const outcomeOf = (send: () => unknown): unknown => {
  try {
    send();
    return "sent";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe("allowedRecipients", () => {
  it.each<[string, string, boolean]>([
    ["ann@example.com", "ann@example.com", true],
    ["Ann@Example.COM", "ann@example.com", true],
    ["ann@example.com", "Ann@Example.COM", true],
    ["Ann Lee <ann@example.com>", "ann@example.com", true],
    ["ann@example.com", "@example.com", true],
    ["ann@EXAMPLE.com", "@Example.com", true],
    ["joann@example.com", "ann@example.com", false],
    ["jo.ann@example.com", "ann@example.com", false],
    ["ann@example.com.evil.org", "ann@example.com", false],
    ["ann@example.com.evil.org", "@example.com", false],
    ["ann@example.community", "@example.com", false],
    ["ann@mail.example.com", "@example.com", false],
    ["ann@badexample.com", "@example.com", false],
    ["ann@example.com", "@mail.example.com", false],
    ["an@example.com", "ann@example.com", false],
    ["ann+x@example.com", "ann@example.com", false],
    ["ann <bob@evil.org>", "ann@example.com", false],
  ])("%s is among [%s]: %s", (address, entry, isAllowed) => {
    const allowedRecipients = ["other@example.org", entry];

    expect(outcomeOf(() => read({ to: [address] }, { allowedRecipients }))).toBe(isAllowed ? "sent" : "forbidden");
  });

  it("lets any pass when it is absent, and none when it is empty", () => {
    expect(read({ to: ["ann@example.com"] }).to).toEqual([{ address: "ann@example.com" }]);
    expect(() => read({ to: ["ann@example.com"] }, { allowedRecipients: [] })).toThrow(
      refused("forbidden", "to\\[0\\] "),
    );
  });

  it.each<[string, object]>([
    ["to\\[1\\]", { to: ["ann@example.com", "bob@evil.org"] }],
    ["cc\\[0\\]", { cc: ["bob@evil.org"] }],
    ["cc\\[0\\]", { cc: "bob@evil.org" }],
    ["bcc\\[2\\]", { bcc: ["a@example.com", "b@example.com", "Ann <bob@evil.org>"] }],
    ["replyTo", { replyTo: "bob@evil.org" }],
  ])("is asked about %s", (field, args) => {
    const send = () => read({ to: ["ann@example.com"], ...args }, { allowedRecipients: ["@example.com"] });

    expect(send).toThrow(refused("forbidden", `${field} is not among the recipients`));
  });
});

describe("readRecipients", () => {
  it("reads addresses with their names, from arrays and single strings", () => {
    const args = {
      to: "ann@example.com",
      cc: ["Bob Lee <bob@example.com>"],
      bcc: [],
      replyTo: '"C, D" <c@example.com>',
    };

    expect(read(args)).toEqual({
      to: [{ address: "ann@example.com" }],
      cc: [{ address: "bob@example.com", name: "Bob Lee" }],
      bcc: [],
      replyTo: { address: "c@example.com", name: "C, D" },
    });
    expect(read({ to: ["ann@example.com"], cc: null, bcc: undefined })).toEqual({
      to: [{ address: "ann@example.com" }],
      cc: [],
      bcc: [],
    });
  });

  it("takes each address once, where it comes first, and a replyTo beside them", () => {
    const args = {
      to: ["ann@example.com", "ANN@example.com", "bob@example.com"],
      cc: ["Bob <Bob@Example.com>", "cid@example.com"],
      bcc: ["cid@example.com", "dan@example.com"],
      replyTo: "ann@example.com",
    };
    const { to, cc, bcc, replyTo } = read(args, { maxRecipients: 4 });

    expect([to, cc, bcc].map((each) => each.map(({ address }) => address))).toEqual([
      ["ann@example.com", "bob@example.com"],
      ["cid@example.com"],
      ["dan@example.com"],
    ]);
    expect(replyTo).toEqual({ address: "ann@example.com" });
  });

  it.each([
    ["to", { to: ["a@x.org", "b@x.org", "c@x.org"] }],
    ["to and cc", { to: ["a@x.org", "b@x.org"], cc: ["c@x.org"] }],
    ["all fields", { to: ["a@x.org"], cc: ["b@x.org"], bcc: ["c@x.org"] }],
  ])("counts the recipients of %s", (_title, args) => {
    expect(() => read(args, { maxRecipients: 3 })).not.toThrow();
    expect(() => read(args, { maxRecipients: 2 })).toThrow(
      refused("invalid_request", "The mail has 3 recipients, and at most 2 are allowed"),
    );
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["no to", {}, "to must be an array"],
    ["an empty to", { to: [], cc: ["a@x.org"] }, "to must be an array"],
    ["an object", { to: { 0: "a@x.org", length: 1 } }, "to must be an array"],
    ["a number in place of cc", { to: ["a@x.org"], cc: 7 }, "cc must be an array"],
    ["an entry that is no string", { to: ["a@x.org", 7] }, "to\\[1\\] is not one mail address"],
    ["an entry that is null", { to: [null] }, "to\\[0\\] is not one mail address"],
    ["two addresses in one string", { to: "a@x.org, b@x.org" }, "to\\[0\\] is not one mail address"],
    ["a line break", { to: ["a@x.org"], bcc: ["a@x.org\r\nBcc: b@x.org"] }, "bcc\\[0\\] must be one line"],
    ["an empty replyTo", { to: ["a@x.org"], replyTo: "" }, "replyTo is not one mail address"],
    ["a replyTo that is null", { to: ["a@x.org"], replyTo: null }, "replyTo is not one mail address"],
    ["a list as replyTo", { to: ["a@x.org"], replyTo: ["a@x.org"] }, "replyTo is not one mail address"],
  ])("refuses %s", (_title, args, start) => {
    expect(() => read(args)).toThrow(refused("invalid_request", start));
  });
});

describe("isRecipientEntry", () => {
  it.each([
    ["ann@example.com", true],
    ["@example.com", true],
    ["@mail.example.com", true],
    ["example.com", false],
    ["@", false],
    ["@example", false],
    ["@@example.com", false],
    ["a@@example.com", false],
    ["Ann <ann@example.com>", false],
    [" @example.com", false],
    ["*@example.com", true],
    ["@*.com", false],
    ["@exämple.com", false],
    ["", false],
    [7, false],
    [null, false],
    [undefined, false],
    [["@example.com"], false],
  ])("%j: %s", (value, expected) => {
    expect(isRecipientEntry(value)).toBe(expected);
  });
});
