import type { ToolResult } from "@troupe/core";
import { contextWith, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { HackerNewsToolkit } from "./index.ts";

type Item = object | number | null;

/** Lists the stories of an API with these items, by their ids; a number is a status. */
async function list(ids: unknown, items: Readonly<Record<number, Item>>, maxResults = 2) {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    const item =
      url === "https://hn.test/v0/topstories.json" ? ids : (items[Number(/item\/(\d+)/.exec(url)?.[1])] ?? null);
    return await Promise.resolve(reply(item));
  };
  const toolkit = new HackerNewsToolkit({ maxResults: 10, baseURL: "https://hn.test", fetch });
  const tool = await toolOf(toolkit, "hackernews_top_stories");
  const run = async () => (await tool.execute({ maxResults }, contextWith())) as ToolResult;
  return { asked, run };
}

function reply(item: unknown): Response {
  return typeof item === "number" ? new Response("", { status: item }) : new Response(JSON.stringify(item));
}

const story = (title: string) => ({ title, by: "b", score: 1, descendants: 2 });
const told = (title: string, id: number) => {
  const discussion = `https://news.ycombinator.com/item?id=${id}`;
  return { title, url: discussion, score: 1, by: "b", comments: 2, discussion };
};
const many = Array.from({ length: 20 }, (_, index) => index + 1);

describe("hackernews_top_stories", () => {
  it.each<[string, Record<number, Item>, object, number]>([
    ["the first", { 1: story("A"), 2: story("B"), 3: story("C") }, { results: [told("A", 1), told("B", 2)] }, 3],
    [
      "the next for one that is missing",
      { 2: story("B"), 3: story("C"), 4: story("D") },
      { results: [told("B", 2), told("C", 3)] },
      9,
    ],
    ["one of six next ones", { 1: story("A"), 8: story("H") }, { results: [told("A", 1), told("H", 8)] }, 9],
    ["none of those behind", { 1: story("A"), 9: story("I") }, { results: [told("A", 1)] }, 9],
    [
      "the others beside a failure",
      { 1: 500, 2: story("B") },
      { results: [told("B", 2)], note: "1 more could not be loaded." },
      3,
    ],
    [
      "no failure of a next one that was not needed",
      { 1: story("A"), 3: 500, 4: story("D") },
      { results: [told("A", 1), told("D", 4)] },
      9,
    ],
    [
      "a failure of a next one that was needed",
      { 1: story("A"), 3: 500, 4: 500 },
      { results: [told("A", 1)], note: "1 more could not be loaded." },
      9,
    ],
    [
      "no failure of several next ones of which none was needed",
      { 1: story("A"), 3: 500, 4: 500, 5: 500, 6: story("F"), 7: story("G"), 8: story("H") },
      { results: [told("A", 1), told("F", 6)] },
      9,
    ],
    [
      "none where all are deleted",
      { 1: { deleted: true }, 2: { dead: true } },
      { results: [], note: "Hacker News lists no stories at the moment." },
      10,
    ],
  ])("lists %s", async (...[, items, content, requests]) => {
    const { asked, run } = await list(many, items);

    expect((await run()).content).toEqual(content);
    expect(asked).toHaveLength(requests);
  });

  it("fails when every story fails, with the failure of the first", async () => {
    const { run } = await list([1, 2], { 1: 403, 2: 500 });

    await expect(run()).rejects.toMatchObject({ fields: { problem: "forbidden", status: 403 } });
  });

  it.each([[{}], ["1"], [[1, "2"]], [[0]], [[-1]], [[1.5]], [null]])("refuses the list %j", async (ids) => {
    const { asked, run } = await list(ids, {});

    await expect(run()).rejects.toMatchObject({ fields: { problem: "unreadable" } });
    expect(asked).toHaveLength(1);
  });

  it.each([[{}], [{ title: 7 }], [[]]])("does not load the item %j", async (item) => {
    const { run } = await list([1, 2], { 1: item, 2: story("B") });

    expect((await run()).content).toEqual({ results: [told("B", 2)], note: "1 more could not be loaded." });
  });

  it("bounds what a story says, and takes damaged numbers for none", async () => {
    const item = {
      title: "t".repeat(300),
      text: "x".repeat(400),
      by: "b".repeat(50),
      url: "https://e.x/a",
      score: -1,
      descendants: "2",
      time: 0,
    };
    const { run } = await list([1], { 1: item }, 1);

    expect((await run()).content).toEqual({
      results: [
        {
          title: `${"t".repeat(199)}…`,
          url: "https://e.x/a",
          snippet: `${"x".repeat(299)}…`,
          score: 0,
          by: `${"b".repeat(39)}…`,
          comments: 0,
          date: "1970-01-01T00:00:00Z",
          discussion: "https://news.ycombinator.com/item?id=1",
        },
      ],
    });
  });

  it.each([401, 404])("says what a status of %i means where no key is sent", async (status) => {
    const { run } = await list(status, {});

    await expect(run()).rejects.toMatchObject({
      fields: { problem: status === 401 ? "forbidden" : "not_found" },
      message: expect.stringContaining("baseURL") as unknown,
    });
  });
});

it("the tools of Hacker News have their parameters, limits and effects", () => {
  const [stories, user] = new HackerNewsToolkit({ maxResults: 7, timeoutMs: 1000 }).getTools();
  const some = expect.any(String) as unknown;

  expect([stories, user].map((tool) => [tool?.name, tool?.effect, tool?.timeoutMs])).toEqual([
    ["hackernews_top_stories", "pure", 6000],
    ["hackernews_user", "pure", 6000],
  ]);
  expect(stories?.parameters).toEqual({
    type: "object",
    properties: { maxResults: { type: "integer", description: some, minimum: 1, maximum: 7 } },
    additionalProperties: false,
  });
  expect(user?.parameters).toEqual({
    type: "object",
    properties: { username: { type: "string", description: some, minLength: 1, maxLength: 32 } },
    required: ["username"],
    additionalProperties: false,
  });
});

describe("hackernews_user", () => {
  /** Describes a user as the API tells of it. */
  async function describeUser(user: Item, username = "jl") {
    const toolkit = new HackerNewsToolkit({ fetch: async () => await Promise.resolve(reply(user)) });
    return await (await toolOf(toolkit, "hackernews_user")).execute({ username }, contextWith());
  }

  const url = "https://news.ycombinator.com/user?id=jl";

  it.each<[string, object, object]>([
    ["the name alone", { id: "jl" }, { username: "jl", karma: 0, submissions: 0, url }],
    [
      "damaged fields",
      { id: "jl", karma: -1, created: "x", about: 7, submitted: { length: 3 } },
      { username: "jl", karma: 0, submissions: 0, url },
    ],
    [
      "everything",
      { id: "jl", karma: 5, created: 0, about: `<b>${"a".repeat(1001)}`, submitted: [1, 2] },
      { username: "jl", karma: 5, created: "1970-01-01T00:00:00Z", about: `${"a".repeat(999)}…`, submissions: 2, url },
    ],
  ])("tells %s", async (_, user, expected) => {
    expect(await describeUser(user)).toEqual(expected);
  });

  it.each([[{ id: "JL" }], [{}], [[]]])("refuses the answer %j for another user", async (user) => {
    await expect(describeUser(user)).rejects.toMatchObject({ fields: { problem: "unreadable" } });
  });

  it("takes a name of 32 characters, and no longer one", async () => {
    const name = "a".repeat(32);

    expect(await describeUser({ id: name }, name)).toMatchObject({ username: name });
    await expect(describeUser(null, `${name}a`)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(describeUser(404)).rejects.toMatchObject({ message: expect.stringContaining("baseURL") as unknown });
  });
});
