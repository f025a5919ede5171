import { contextWith, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { GmailToolkit } from "./index.ts";

const tokenPath = process.env["GMAIL_TOKEN_PATH"] ?? "";
const credentialsPath = process.env["GMAIL_CREDENTIALS_PATH"] || undefined;
if (tokenPath === "") process.stdout.write("The live tests of Gmail are skipped: GMAIL_TOKEN_PATH is not set.\n");

describe.skipIf(tokenPath === "")("the real Gmail", () => {
  it("searches and reads a mailbox, and says when a mail is not there", async () => {
    const toolkit = new GmailToolkit({ tokenPath, credentialsPath, enableSend: false, maxResults: 2 });
    const search = await toolOf(toolkit, "gmail_search");
    const read = await toolOf(toolkit, "gmail_read");

    const { content } = (await search.execute({ query: "in:anywhere" }, contextWith())) as {
      content: { results: { id: string }[] };
    };
    for (const { id } of content.results) {
      expect(await read.execute({ id }, contextWith())).toMatchObject({ id });
    }

    expect(content.results.length).toBeLessThanOrEqual(2);
    await expect(read.execute({ id: "0000000000000000" }, contextWith())).rejects.toMatchObject({
      name: "TroupeError",
    });
  });
});
