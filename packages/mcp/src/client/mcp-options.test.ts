import { describe, expect, it } from "vitest";
import { McpToolServer } from "./mcp-tool-server.ts";
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
