import { expect, it } from "vitest";
import { ServiceApi } from "./service-api.ts";

it.each(["https://example.org/troupe/é", "https://example.org/troupe/é/", new URL("https://example.org/troupe/é")])(
  "the requests to a service at a path stay below it: %s",
  async (baseUrl) => {
    const asked: string[] = [];
    const fetch = async (url: string | URL | Request): Promise<Response> => {
      asked.push(url instanceof Request ? url.url : String(url));
      return await Promise.resolve(Response.json({ agents: [], teams: [], workflows: [], sessions: [] }));
    };
    const api = new ServiceApi({ baseUrl, fetch });

    await api.runnables();

    const below = "https://example.org/troupe/%C3%A9/";
    expect(asked.toSorted()).toEqual(["agents", "teams", "workflows"].map((path) => below + path));
    expect(api.partUrl("s1", 2, 0)).toBe(`${below}sessions/s1/turns/2/parts/0`);
  },
);
