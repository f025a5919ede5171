import { createLogger, TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { McpToolServer } from "./mcp-tool-server.ts";
import { readMcpOptions } from "./mcp-options.ts";
import type { McpToolServerOptions } from "./mcp-options.ts";

const stdio = { name: "box", transport: "stdio", command: "node" } as const;
const http = { name: "box", transport: "http", url: "https://example.com/mcp" } as const;

describe("the options of an McpToolServer", () => {
  it.each<[string, object, string]>([
    ["no command", { name: "a", transport: "stdio" }, 'An McpToolServer with transport "stdio" needs command.'],
    ["no url", { name: "a", transport: "http" }, 'An McpToolServer with transport "http" needs url.'],
    [
      "a url for stdio",
      { ...stdio, url: http.url },
      'url has no effect with transport "stdio". Leave it out, or use transport "http".',
    ],
    [
      "env for http",
      { ...http, env: {} },
      'env has no effect with transport "http". Leave it out, or use transport "stdio".',
    ],
    [
      "a pool without users",
      { ...http, maxConnections: 3 },
      "maxConnections has an effect only where headers is a function. Leave it out: there is one connection.",
    ],
    [
      "credentials in the url",
      { ...http, url: "https://ada:secret-7@example.com" },
      "url must be an http: or https: URL without user and password, got a string.",
    ],
    [
      "a line break in a header",
      { ...http, headers: { key: "secret-7\r\nx: y" } },
      "headers must be a function or an object with names of headers, and with strings of printable characters or null as values, got an object.",
    ],
    [
      "a variable that is no string",
      { ...stdio, env: { A: 1 } },
      "env must be an object with strings as values, got an object.",
    ],
    [
      "an unknown option",
      { ...stdio, shell: true },
      /^Unknown option "shell" of McpToolServer "box"\. Expected name, /,
    ],
    ["an unknown transport", { name: "a", transport: "sse" }, 'transport must be "stdio" or "http", got a string.'],
    [
      "a filter of another form",
      { ...stdio, tools: { only: ["a"] } },
      'Unknown option "only" of tools. Expected allow or deny.',
    ],
  ] as never)("refuse %s, and show no value [mcp.options]", (_, options, message) => {
    expect(() => new McpToolServer(options as McpToolServerOptions)).toThrow(message);
    expect(() => new McpToolServer(options as McpToolServerOptions)).not.toThrow("secret-7");
  });

  it("may all be undefined, and start nothing [mcp.options]", () => {
    const none = undefined;
    const options = { args: none, env: none, cwd: none, tools: none, protocol: none, logger: none, headers: none };

    expect(new McpToolServer({ ...stdio, ...options }).name).toBe("box");
    expect(new McpToolServer({ ...http, ...options, tools: { allow: none, deny: none } }).name).toBe("box");
  });
});

/** The message of the `invalid_config` error of these options. */
function problemOf(options: object): string {
  try {
    return `taken: ${JSON.stringify(readMcpOptions(options))}`;
  } catch (error) {
    return TroupeError.is(error) && error.code === "invalid_config" ? error.message : `another error: ${String(error)}`;
  }
}

const defaults = {
  connectTimeoutMs: 15_000,
  timeoutMs: 60_000,
  maxArtifactBytes: 1_048_576,
  maxMessageBytes: 10_485_760,
  maxTools: 500,
  maxSchemaBytes: 65_536,
  maxDescriptionBytes: 4096,
  trustAnnotations: false,
};
const headersOf = () => ({});

describe("the settings of an McpToolServer", () => {
  it("have the documented defaults, and none for what has no default", () => {
    const set = (options: object) =>
      Object.fromEntries(Object.entries(readMcpOptions(options)).filter(([, value]) => value !== undefined));
    expect(set(stdio)).toStrictEqual({ ...stdio, ...defaults });
    expect(set(http)).toStrictEqual({ ...http, ...defaults });
  });

  it.each<[string, object, object]>([
    ["the text of a program", stdio, { args: ["", " a"], env: { A: "", "a b": "=x" }, cwd: "" }],
    ["all for stdio", stdio, { args: [], env: {}, cwd: "/", logger: createLogger(), onElicitation: headersOf }],
    [
      "all for http",
      http,
      { headers: headersOf, fetch, authProvider: { token: headersOf }, maxConnections: 1, idleTimeoutMs: 1 },
    ],
    ["an OAuth client", http, { authProvider: { tokens: headersOf } }],
    ["headers that stay the same", http, { headers: { "X-Key": "a b" } }],
    ["no headers", http, { headers: {} }],
    ["each protocol", http, { protocol: "auto" }],
    ["the earlier protocol", stdio, { protocol: "legacy" }],
    ["the protocol of 2026", stdio, { protocol: "2026-07-28" }],
    ["the longest name", { ...http, name: "x".repeat(64) }, {}],
    ["an http: URL with a query", { ...http, url: "http://localhost:1/a?key=b#c" }, {}],
    [
      "the least of each number",
      http,
      {
        connectTimeoutMs: 1,
        timeoutMs: 1,
        maxOutputBytes: 1,
        maxArtifactBytes: 0,
        maxMessageBytes: 1024,
        maxTools: 1,
        maxSchemaBytes: 2,
        maxDescriptionBytes: 0,
      },
    ],
    ["an empty choice of tools", http, { tools: { allow: [], deny: [] } }],
  ])("are as they were given: %s", (_, base, more) => {
    expect(readMcpOptions({ ...base, ...more })).toMatchObject({ ...base, ...more });
  });

  it.each<[object, RegExp]>([
    [{ ...http, name: "" }, /^name must be /],
    [{ ...http, name: "x".repeat(65) }, /^name must be .*64/],
    [{ ...stdio, command: "" }, /^command must be the name or path of a program, got /],
    [{ ...stdio, command: " " }, /^command must be the name or path of a program, got /],
    [{ ...stdio, command: "a\0b" }, /^command must be the name or path of a program, got /],
    [{ ...stdio, command: ["node"] }, /^command must be the name or path of a program, got /],
    [{ ...stdio, args: "a" }, /^args must be /],
    [{ ...stdio, args: ["a\0"] }, /^args.* must be .*a string without NUL/],
    [{ ...stdio, args: [1] }, /^args.* must be .*a string without NUL/],
    [{ ...stdio, env: null }, /^env must be an object with strings as values, got null/],
    [{ ...stdio, env: "A=b" }, /^env must be an object with strings as values, got a string/],
    [{ ...stdio, env: { "": "a" } }, /^env must be an object with strings as values/],
    [{ ...stdio, env: { "A=B": "a" } }, /^env must be an object with strings as values/],
    [{ ...stdio, env: { "A\0": "a" } }, /^env must be an object with strings as values/],
    [{ ...stdio, env: { A: "\0" } }, /^env must be an object with strings as values/],
    [{ ...stdio, env: { A: "a", B: undefined } }, /^env must be an object with strings as values/],
    [{ ...stdio, cwd: 1 }, /^cwd must be /],
    [{ ...http, url: "ftp://a.example" }, /^url must be an http: or https: URL without user and password/],
    [{ ...http, url: "a.example/mcp" }, /^url must be an http: or https: URL without user and password/],
    [{ ...http, url: "https://ada@a.example" }, /^url must be an http: or https: URL without user and password/],
    [{ ...http, url: "https://:x@a.example" }, /^url must be an http: or https: URL without user and password/],
    [{ ...http, url: new URL(http.url) }, /^url must be an http: or https: URL without user and password/],
    [
      { ...http, headers: { a: "b", c: null } },
      /^headers of an McpToolServer must be strings\. Leave a header out instead of null\.$/,
    ],
    [
      { ...http, authProvider: {} },
      /^authProvider must be an AuthProvider or OAuthClientProvider of @modelcontextprotocol\/client, got /,
    ],
    [{ ...http, authProvider: null }, /^authProvider must be an AuthProvider or OAuthClientProvider/],
    [{ ...http, authProvider: headersOf }, /^authProvider must be an AuthProvider or OAuthClientProvider/],
    [{ ...http, fetch: "fetch" }, /^fetch must be a function/],
    [{ ...http, onElicitation: {} }, /^onElicitation must be a function/],
    [{ ...http, onSampling: {} }, /^onSampling must be a function/],
    [{ ...http, logger: {} }, /^logger must be /],
    [{ ...http, tools: ["a"] }, /^tools must be /],
    [{ ...http, tools: { allow: "a" } }, /^tools\.allow must be .*names of tools/],
    [{ ...http, tools: { deny: [""] } }, /^tools\.deny.* must be /],
    [{ ...http, protocol: "2025-11-25" }, /^protocol must be "auto", "legacy" or "2026-07-28", got /],
    [{ ...http, trustAnnotations: "true" }, /^trustAnnotations must be /],
  ])("are refused for %j", (options, message) => {
    expect(problemOf(options)).toMatch(message);
  });

  it.each<[string, number]>([
    ["connectTimeoutMs", 0],
    ["timeoutMs", 0],
    ["maxOutputBytes", 0],
    ["maxArtifactBytes", -1],
    ["maxMessageBytes", 1023],
    ["maxTools", 0],
    ["maxSchemaBytes", 1],
    ["maxDescriptionBytes", -1],
    ["maxConnections", 0],
    ["idleTimeoutMs", 0],
  ])("are refused where %s is %i", (name, value) => {
    for (const wrong of [value, 1024.5, "1", NaN]) {
      expect(problemOf({ ...http, headers: headersOf, [name]: wrong })).toMatch(new RegExp(`^${name} must be `));
    }
  });

  it.each([
    ["command", "http", "node"],
    ["args", "http", []],
    ["env", "http", {}],
    ["cwd", "http", "/"],
    ["url", "stdio", http.url],
    ["headers", "stdio", {}],
    ["authProvider", "stdio", { token: headersOf }],
    ["fetch", "stdio", fetch],
    ["maxConnections", "stdio", 1],
    ["idleTimeoutMs", "stdio", 1],
  ])("have no %s with the transport %s", (name, transport, value) => {
    const other = transport === "http" ? "stdio" : "http";
    expect(problemOf({ ...(transport === "http" ? http : stdio), [name]: value })).toBe(
      `${name} has no effect with transport "${transport}". Leave it out, or use transport "${other}".`,
    );
  });

  it.each(["maxConnections", "idleTimeoutMs"])("have %s only where headers is a function", (name) => {
    const message = `${name} has an effect only where headers is a function. Leave it out: there is one connection.`;
    expect(problemOf({ ...http, [name]: 1, headers: { a: "b" } })).toBe(message);
    expect(problemOf({ ...http, [name]: 1 })).toBe(message);
  });
});
