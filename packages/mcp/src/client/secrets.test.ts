import { expect, it } from "vitest";
import type { McpSettings } from "./mcp-options.ts";
import { readSecrets } from "./secrets.ts";

const settingsOf = (settings: Pick<McpSettings, "env" | "url">) => settings as McpSettings;

it.each<[string, Pick<McpSettings, "env" | "url">, Record<string, string>, string[]]>([
  ["nothing of nothing", {}, {}, []],
  [
    "a header of 8 characters, whatever its name",
    {},
    { accept: "12345678", "x-other": "1234567" },
    ["12345678", "12345678"],
  ],
  ["a short header with a telling name", {}, { "X-Api-KEY": "abc" }, ["abc", "abc"]],
  ["a token and the whole header", {}, { authorization: "Bearer t0ken" }, ["Bearer t0ken", "t0ken"]],
  ["the last part of a header", {}, { authorization: "Digest a b c" }, ["Digest a b c", "c"]],
  [
    "variables with telling names alone",
    { env: { PATH: "/a/long/path/of/programs", API_KEY: "k", PASSWD: "p", Session: "s" } },
    {},
    ["k", "p", "s"],
  ],
  [
    "values of 8 characters in the query",
    { url: "https://a.example/mcp?k=12345678&k=1234567&key=%C3%A9b345678" },
    {},
    ["12345678", "éb345678"],
  ],
  ["nothing of the rest of a URL", { url: "https://a.example/a-long-path-to-it#a-long-fragment" }, {}, []],
  [
    "all of these together, headers first",
    { env: { TOKEN: "t" }, url: "https://a.example/?q=123456789" },
    { cookie: "c" },
    ["c", "c", "t", "123456789"],
  ],
])("hides %s", (...[, settings, headers, secrets]) => {
  expect(readSecrets(settingsOf(settings), headers)).toStrictEqual(secrets);
});

it.each(["key", "token", "secret", "password", "passwd", "credential", "auth", "cookie", "session"])(
  "the mask hides a short value whose name has %s in it",
  (word) => {
    expect(readSecrets(settingsOf({ env: { [`MY_${word.toUpperCase()}_1`]: "v" } }), { [`x-${word}s`]: "w" })).toEqual([
      "w",
      "w",
      "v",
    ]);
  },
);
