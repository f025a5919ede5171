import { contextWith, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { HackerNewsToolkit } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";
if (!isLive) process.stdout.write("The live tests of Hacker News are skipped: TROUPE_LIVE is not 1.\n");

describe.skipIf(!isLive)("the real Hacker News", () => {
  const toolkit = new HackerNewsToolkit({ maxResults: 3 });

  it("lists stories", async () => {
    const tool = await toolOf(toolkit, "hackernews_top_stories");
    const { content } = (await tool.execute({}, contextWith())) as { content: { results: { title: string }[] } };

    expect(content.results).toHaveLength(3);
    expect(content.results.every(({ title }) => title !== "")).toBe(true);
  });

  it("describes a user, and knows who is none", async () => {
    const tool = await toolOf(toolkit, "hackernews_user");

    expect(await tool.execute({ username: "pg" }, contextWith())).toMatchObject({ username: "pg" });
    await expect(tool.execute({ username: "no-such-user-of-troupe" }, contextWith())).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
