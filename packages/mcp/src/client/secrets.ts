import type { McpHeaders, McpSettings } from "./mcp-options.ts";

const secretName = /key|token|secret|passw|credential|auth|cookie|session/i;
const shortestSecret = 8;

/** Returns what must not be shown: values of headers, of environment variables with telling names, and of the URL's query. */
export function readSecrets({ env = {}, url }: McpSettings, headers: McpHeaders): string[] {
  const ofHeaders = Object.entries(headers)
    .filter(([name, value]) => secretName.test(name) || value.length >= shortestSecret)
    // The token of `Bearer token` by itself too.
    .flatMap(([, value]) => [value, value.split(" ").at(-1) ?? value]);
  const ofEnvironment = Object.entries(env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  const ofUrl = url === undefined ? [] : [...new URL(url).searchParams.values()];
  return [...ofHeaders, ...ofEnvironment, ...ofUrl.filter((value) => value.length >= shortestSecret)];
}
