import { describe, expect, it } from "vitest";
import type { GmailOptions } from "./gmail-options.ts";
import { readGmailOptions } from "./read-options.ts";

const authClient = { getAccessToken: async () => await Promise.resolve("ya29.token") };

describe("readGmailOptions", () => {
  it("adds the defaults", () => {
    expect(readGmailOptions({ authClient })).toMatchObject({
      authClient,
      enableSend: true,
      enableSearch: true,
      enableRead: true,
      maxRecipients: 20,
      maxResults: 10,
      maxTextLength: 20_000,
      baseURL: "https://gmail.googleapis.com",
    });
  });

  it.each<[name: "maxRecipients" | "maxResults" | "maxTextLength", least: number, most: number]>([
    ["maxRecipients", 1, 500],
    ["maxResults", 1, 50],
    ["maxTextLength", 100, 1_000_000],
  ])("takes %s from %i to %i alone", (name, least, most) => {
    for (const value of [least, most]) expect(readGmailOptions({ [name]: value })[name]).toBe(value);
    for (const value of [least - 1, most + 1, least + 0.5, Number.NaN]) {
      expect(() => readGmailOptions({ [name]: value })).toThrow(name);
    }
  });

  it.each<[options: GmailOptions, words: string]>([
    [{ authClient, tokenPath: "t.json" }, "authClient excludes tokenPath"],
    [{ authClient, credentialsPath: "c.json" }, "authClient excludes tokenPath"],
    [{ allowedRecipients: [] }, "allowedRecipients must not be empty"],
    [{ enableSend: false, allowedRecipients: ["@a.org"] }, "allowedRecipients has no effect, because enableSend is"],
    [{ enableSend: false, maxRecipients: 2 }, "maxRecipients has no effect, because enableSend is false"],
    [{ enableSearch: false, maxResults: 2 }, "maxResults has no effect, because enableSearch is false"],
    [{ enableRead: false, maxTextLength: 200 }, "maxTextLength has no effect, because enableRead is false"],
  ])("refuses %j", (options, words) => {
    expect(() => readGmailOptions(options)).toThrow(words);
  });
});
