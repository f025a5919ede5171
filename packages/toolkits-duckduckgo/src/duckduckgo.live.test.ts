import { TroupeError } from "@troupe/core";
import { contextWith, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { DuckDuckGoToolkit } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";
if (!isLive) process.stdout.write("The live tests of DuckDuckGo are skipped: TROUPE_LIVE is not 1.\n");

describe.skipIf(!isLive)("the real DuckDuckGo", () => {
  const toolkit = new DuckDuckGoToolkit({ maxResults: 3 });

  it.each(["duckduckgo_search", "duckduckgo_news"])("answers %s with results, or says that it blocks", async (name) => {
    const tool = await toolOf(toolkit, name);
    const outcome = await Promise.resolve(tool.execute({ query: "norway" }, contextWith())).catch(
      (error: unknown) => error,
    );
    const isBlock = TroupeError.is(outcome) && outcome.fields["problem"] === "blocked";
    if (isBlock) process.stdout.write(`${name}: ${outcome.message}\n`);

    expect(isBlock ? { content: { results: [{ title: "", url: "" }] } } : outcome).toMatchObject({
      content: { results: expect.arrayContaining([expect.objectContaining({ url: expect.any(String) })]) },
    });
  });
});
