import { Service } from "@troupe-internal/toolkit";
import { contextWith } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { userTool } from "./user.ts";

/** Asks for a user, whom the service knows under any name, and returns the outcome and the paths that were asked. */
async function ask(username: string) {
  const asked: string[] = [];
  const fetch = async (url: string | URL) => {
    const { pathname } = new URL(url);
    asked.push(pathname);
    return await Promise.resolve(Response.json({ id: pathname.slice("/v0/user/".length, -".json".length) }));
  };
  const service = new Service({ name: "Hacker News", timeoutMs: 1000, network: { fetch } });
  const tool = userTool({ service, baseURL: "https://hn.example", timeoutMs: 1000 });
  const outcome: unknown = await Promise.resolve(tool.execute?.({ username }, contextWith())).catch(
    (error: unknown) => error,
  );
  return { outcome, asked };
}

describe("the name of a user of Hacker News", () => {
  it.each(["pg", "a-b", "-", "_", "--_--", "0", "Az_09-", "dang-".repeat(6), "x".repeat(32)])(
    "may be %s",
    async (name) => {
      const { outcome, asked } = await ask(name);

      expect(outcome).toMatchObject({ username: name, url: `https://news.ycombinator.com/user?id=${name}` });
      expect(asked).toEqual([`/v0/user/${name}.json`]);
    },
  );

  it.each(["a.b", "a/b", "..", "a b", "é", "a%2Fb", "a?b", "a#b", "a+b", "a\u2010b", "x".repeat(33)])(
    "may not be %s, and nothing is asked",
    async (name) => {
      const { outcome, asked } = await ask(name);

      expect(outcome).toMatchObject({ code: "invalid_request" });
      expect(asked).toEqual([]);
    },
  );
});
