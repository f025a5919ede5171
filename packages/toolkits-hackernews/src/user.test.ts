import { Service } from "@troupe-internal/toolkit";
import { contextWith } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { userTool } from "./user.ts";

/** Asks for a user, with this answer of the service, and returns the outcome and the addresses that were asked. */
async function ask(username: unknown, body: unknown, status = 200) {
  const asked: string[] = [];
  const fetch = async (url: string | URL) => {
    asked.push(String(url));
    return await Promise.resolve(new Response(JSON.stringify(body), { status }));
  };
  const service = new Service({ name: "Hacker News", timeoutMs: 1000, network: { fetch } });
  const tool = userTool({ service, baseURL: "https://hn.example", timeoutMs: 1000 });
  const outcome: unknown = await Promise.resolve(tool.execute?.({ username }, contextWith())).catch(
    (error: unknown) => error,
  );
  return { tool, outcome, asked };
}

const url = "https://news.ycombinator.com/user?id=jl";
const bare = { username: "jl", karma: 0, submissions: 0, url };

describe("hackernews_user", () => {
  it("is a pure tool with one argument, and a limit a little over that of its service", async () => {
    const { tool } = await ask("jl", null);

    expect(tool).toMatchObject({
      name: "hackernews_user",
      effect: "pure",
      timeoutMs: 6000,
      parameters: {
        properties: { username: { type: "string", minLength: 1, maxLength: 32 } },
        required: ["username"],
        additionalProperties: false,
      },
    });
  });

  it.each<[string, object, object]>([
    ["nothing but the name", {}, bare],
    ["a karma below zero or none", { karma: -3 }, bare],
    ["a karma that is text", { karma: "7" }, bare],
    ["karma and submissions", { karma: 7, submitted: [1, 2] }, { ...bare, karma: 7, submissions: 2 }],
    ["submissions that are no array", { submitted: { length: 3 } }, bare],
    ["the first moment", { created: 0 }, { ...bare, created: "1970-01-01T00:00:00Z" }],
    ["a time that is text", { created: "0" }, bare],
    ["an empty text", { about: "<p> " }, bare],
    ["a text of 1000 characters", { about: "a".repeat(1000) }, { ...bare, about: "a".repeat(1000) }],
    ["a longer text", { about: "a".repeat(1001) }, { ...bare, about: `${"a".repeat(999)}…` }],
  ])("describes a user with %s", async (_what, user, expected) => {
    const { outcome, asked } = await ask("jl", { id: "jl", ...user });

    expect(outcome).toStrictEqual(expected);
    expect(asked).toEqual(["https://hn.example/v0/user/jl.json"]);
  });

  it.each<[unknown, number, object]>([
    [{ id: "JL" }, 200, { problem: "unreadable" }],
    [{}, 200, { problem: "unreadable" }],
    ["jl", 200, { problem: "unreadable" }],
    [{}, 500, { problem: "unavailable", status: 500 }],
    [{}, 401, { problem: "forbidden", status: 401 }],
    [null, 200, { problem: "not_found" }],
  ])("fails for the answer %j with status %i", async (body, status, fields) => {
    const { outcome } = await ask("jl", body, status);

    expect(outcome).toMatchObject({ fields: { service: "Hacker News", ...fields } });
  });

  it.each(["a/b", "a.b", "é", "a b"])("sends nothing for the name %j", async (username) => {
    const { outcome, asked } = await ask(username, {});

    expect(outcome).toMatchObject({
      code: "invalid_request",
      message: "username must be a name of letters, digits, _ and -.",
    });
    expect(asked).toEqual([]);
  });

  it("takes a name of 32 characters, and none of 33", async () => {
    expect((await ask("a".repeat(32), null)).asked).toHaveLength(1);
    const { outcome, asked } = await ask("a".repeat(33), null);

    expect(outcome).toMatchObject({ code: "invalid_request" });
    expect(asked).toEqual([]);
  });
});
