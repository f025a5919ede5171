import type { McpHeaders, McpSettings } from "./mcp-options.ts";

const secretName = /key|token|secret|passw|credential|auth|cookie|session/i;
const shortestSecret = 8;

/**
 * Returns the secrets of a connection to an MCP server: long values of headers and of the URL's query, and the values
 * of headers and environment variables with revealing names.
 */
export function readSecrets({ env = {}, url }: McpSettings, headers: McpHeaders): string[] {
  const ofHeaders = Object.entries(headers)
    .filter(([name, value]) => secretName.test(name) || value.length >= shortestSecret)
    // In a header such as `Bearer <token>`, the token alone is a secret too.
    .flatMap(([, value]) => [value, value.split(" ").at(-1) ?? value]);
  const ofEnvironment = Object.entries(env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  const ofUrl = url === undefined ? [] : [...new URL(url).searchParams.values()];
  return [...ofHeaders, ...ofEnvironment, ...ofUrl.filter((value) => value.length >= shortestSecret)];
}
