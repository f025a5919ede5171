import type { ToolResult } from "@troupe/core";
import { contextWith, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { GmailToolkit } from "./index.ts";

/** A mailbox of mails with these ids, some of which fail, and a function that searches it. */
async function startMailbox(list: object, statuses: Readonly<Record<string, number>> = {}) {
  const asked: URL[] = [];
  const fetch = async (given: string) => {
    const url = new URL(given);
    asked.push(url);
    const id = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    if (id === "messages") return await Promise.resolve(new Response(JSON.stringify(list)));
    const payload = { headers: [{ name: "Subject", value: `S ${id}` }] };
    const snippet = `A &amp; ${"x".repeat(400)}`;
    const mail = { id, threadId: `t${id}`, internalDate: "0", snippet, payload };
    return new Response(JSON.stringify(mail), { status: statuses[id] ?? 200 });
  };
  const authClient = { getAccessToken: async () => await Promise.resolve("ya29.token") };
  const tool = await toolOf(new GmailToolkit({ authClient, maxResults: 3, fetch }), "gmail_search");
  const search = async (args: object = {}) =>
    (await tool.execute({ query: "q", ...args }, contextWith())) as ToolResult;
  return { asked, search };
}

function idsIn({ content }: ToolResult): string[] {
  return (content as { results: { id: string }[] }).results.map(({ id }) => id);
}

const three = [{ id: "1" }, { id: "2" }, { id: "3" }];

describe("gmail_search", () => {
  it("tells of each mail what is shown, and no remark when that is all", async () => {
    const { search } = await startMailbox({ messages: [{ id: "1" }] });

    expect((await search()).content).toEqual({
      results: [
        {
          id: "1",
          threadId: "t1",
          from: "",
          to: "",
          subject: "S 1",
          date: "1970-01-01T00:00:00.000Z",
          snippet: `A & ${"x".repeat(295)}…`,
        },
      ],
    });
  });

  it.each<[string, object, string[]]>([
    ["keeps the order", { messages: three }, ["1", "2", "3"]],
    ["loads no more than it may show", { messages: [...three, { id: "4" }] }, ["1", "2", "3"]],
    ["skips what has no id", { messages: [{ id: "" }, null, { id: 7 }, { id: "2" }] }, ["2"]],
    ["finds none", {}, []],
  ])("%s", async (_, list, ids) => {
    const { asked, search } = await startMailbox(list);

    expect(idsIn(await search())).toEqual(ids);
    expect(asked).toHaveLength(ids.length + 1);
  });

  it("asks for as many as it may return, or fewer", async () => {
    const { asked, search } = await startMailbox({});
    await search();
    await search({ maxResults: 2 });
    await search({ maxResults: 9 });

    expect(asked.map(({ searchParams }) => searchParams.get("maxResults"))).toEqual(["3", "2", "3"]);
  });

  it("says that more match beside those that are left of deleted ones", async () => {
    const { search } = await startMailbox({ messages: three, nextPageToken: "n" }, { 2: 404 });
    const result = await search();

    expect(idsIn(result)).toEqual(["1", "3"]);
    expect(result.content).toMatchObject({ note: "More mails match. Narrow the query to find them." });
  });

  it.each([403, 500])("fails with a mail that fails with status %i", async (status) => {
    const { search } = await startMailbox({ messages: three }, { 2: status });

    await expect(search()).rejects.toMatchObject({ fields: { status } });
  });

  it.each([{ query: " " }, { query: "q".repeat(401) }])("refuses the query %j", async (args) => {
    const { asked, search } = await startMailbox({});

    await expect(search(args)).rejects.toMatchObject({ code: "invalid_request" });
    expect(asked).toEqual([]);
  });
});
