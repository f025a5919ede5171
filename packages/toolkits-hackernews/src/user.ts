import { defineTool, TroupeError } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { sumCounts, readObject } from "@troupe/core/kit";
import {
  explainKeyless,
  htmlToText,
  readTextArgument,
  serviceError,
  toIsoTime,
  toolTimeoutMs,
} from "@troupe-internal/toolkit";
import type { HackerNewsUser } from "./results.ts";
import type { Access } from "./top-stories.ts";

const longestName = 32;

/** Makes the tool `hackernews_user`. */
export function userTool({ service, baseURL, timeoutMs }: Access): ToolDef {
  return defineTool({
    name: "hackernews_user",
    description:
      "Describes a user of Hacker News by the exact name, in which upper and lower case differ: karma, age of the account, what they say about themselves, and the number of their submissions.",
    parameters: {
      type: "object",
      properties: {
        username: {
          type: "string",
          description: "Name of the user, such as pg: letters, digits, _ and -.",
          minLength: 1,
          maxLength: longestName,
        },
      },
      required: ["username"],
      additionalProperties: false,
    },
    effect: "pure",
    timeoutMs: toolTimeoutMs(timeoutMs),
    execute: (args, { signal }) =>
      service.call(signal, async (ask): Promise<HackerNewsUser> => {
        const username = readName(args);
        const reply = (await ask({ url: `${baseURL}/v0/user/${username}.json` })).requireOk(explainKeyless);
        const user = reply.json();
        if (user === null) throw noSuchUser(service.name, username);
        const { id, karma, created, about, submitted } = readObject(user);
        if (id !== username) throw reply.unexpected();
        const since = toIsoTime(created);
        const text = htmlToText(about, 1000);
        return {
          username,
          karma: sumCounts(karma) ?? 0,
          ...(since !== undefined && { created: since }),
          ...(text !== "" && { about: text }),
          submissions: Array.isArray(submitted) ? submitted.length : 0,
          url: `https://news.ycombinator.com/user?id=${username}`,
        };
      }),
  });
}

/**
 * Returns the name of the Hacker News user from the tool's arguments. Only valid names are accepted, because the name
 * becomes part of a path.
 */
function readName(args: Readonly<Record<string, unknown>>): string {
  const name = readTextArgument(args, "username", longestName);
  if (/^[\w-]+$/.test(name)) return name;
  throw new TroupeError("invalid_request", "username must be a name of letters, digits, _ and -.");
}

function noSuchUser(service: string, username: string): Error {
  return serviceError(service, {
    problem: "not_found",
    happened: `has no user ${username}`,
    advice: "Upper and lower case differ: check the spelling.",
  });
}
