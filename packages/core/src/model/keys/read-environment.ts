/**
 * Returns the first of these environment variables that is set and not empty, or `undefined`. Reads the environment on
 * each call.
 */
export function readEnvironment(...names: readonly string[]): { name: string; value: string } | undefined {
  for (const name of names) {
    const value = process.env[name] ?? "";
    if (value !== "") return { name, value };
  }
  return undefined;
}

/**
 * The proxies configured in the environment, for http: and https: addresses, and the hosts that are reached without a
 * proxy.
 */
export type ProxyEnvironment = {
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
};

/**
 * Returns the proxies configured in the environment. Returns `undefined` if there are none, or if Node was not told to
 * use them by `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`. Lower-case names take precedence, as in Node.
 */
export function readProxyEnvironment(): ProxyEnvironment | undefined {
  if (process.env["NODE_USE_ENV_PROXY"] !== "1" && !process.execArgv.includes("--use-env-proxy")) return undefined;
  const httpProxy = readEnvironment("http_proxy", "HTTP_PROXY")?.value;
  const httpsProxy = readEnvironment("https_proxy", "HTTPS_PROXY")?.value;
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return { httpProxy, httpsProxy, noProxy: readEnvironment("no_proxy", "NO_PROXY")?.value };
}
