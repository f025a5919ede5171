import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readEnvironment, readProxyEnvironment } from "./read-environment.ts";

const proxyNames = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"];

beforeEach(() => {
  for (const name of [...proxyNames, "NODE_USE_ENV_PROXY", "TEST_A", "TEST_B"]) vi.stubEnv(name, undefined);
});

afterEach(() => vi.unstubAllEnvs());

const stub = (variables: Record<string, string>): void => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};

describe("an environment variable", () => {
  it.each([
    [
      { TEST_A: "1", TEST_B: "2" },
      { name: "TEST_A", value: "1" },
    ],
    [
      { TEST_A: "", TEST_B: "2" },
      { name: "TEST_B", value: "2" },
    ],
    [{ TEST_B: " " }, { name: "TEST_B", value: " " }],
    [{ TEST_A: "0" }, { name: "TEST_A", value: "0" }],
    [{ TEST_A: "" }, undefined],
    [{}, undefined],
  ])("an environment variable of %j is found as %j: the first that is not empty", (variables, found) => {
    stub(variables);
    expect(readEnvironment("TEST_A", "TEST_B")).toEqual(found);
  });

  it("is read each time, in the order of the names, and none without a name", () => {
    stub({ TEST_A: "1", TEST_B: "2" });
    expect(readEnvironment("TEST_B", "TEST_A")).toEqual({ name: "TEST_B", value: "2" });
    vi.stubEnv("TEST_B", "3");
    expect(readEnvironment("TEST_B", "TEST_A")).toEqual({ name: "TEST_B", value: "3" });
    expect(readEnvironment()).toBeUndefined();
  });
});

describe("the proxies of the environment", () => {
  const upper = { HTTP_PROXY: "http://a", HTTPS_PROXY: "http://b", NO_PROXY: "c" };
  const lower = { http_proxy: "http://x", https_proxy: "http://y", no_proxy: "z" };

  it.each([
    [upper, { httpProxy: "http://a", httpsProxy: "http://b", noProxy: "c" }],
    [lower, { httpProxy: "http://x", httpsProxy: "http://y", noProxy: "z" }],
    [
      { ...upper, ...lower },
      { httpProxy: "http://x", httpsProxy: "http://y", noProxy: "z" },
    ],
    [
      { ...upper, http_proxy: "" },
      { httpProxy: "http://a", httpsProxy: "http://b", noProxy: "c" },
    ],
    [{ HTTP_PROXY: "http://a" }, { httpProxy: "http://a", httpsProxy: undefined, noProxy: undefined }],
    [{ HTTPS_PROXY: "http://b" }, { httpProxy: undefined, httpsProxy: "http://b", noProxy: undefined }],
    [{ NO_PROXY: "c" }, undefined],
    [{}, undefined],
  ])("%j are %j", (variables, proxies) => {
    stub({ NODE_USE_ENV_PROXY: "1", ...variables });
    expect(readProxyEnvironment()).toEqual(proxies);
  });

  it.each(["", "0", "true", "11"])("are not used with NODE_USE_ENV_PROXY=%j", (value) => {
    stub({ NODE_USE_ENV_PROXY: value, ...upper });
    expect(readProxyEnvironment()).toBeUndefined();
  });

  it("are used with the flag of Node in place of the variable", () => {
    stub(upper);
    expect(readProxyEnvironment()).toBeUndefined();
    const { execArgv } = process;
    process.execArgv = [...execArgv, "--use-env-proxy"];
    try {
      expect(readProxyEnvironment()).toEqual({ httpProxy: "http://a", httpsProxy: "http://b", noProxy: "c" });
    } finally {
      process.execArgv = execArgv;
    }
  });
});
