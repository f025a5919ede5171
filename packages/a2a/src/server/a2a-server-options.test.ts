import type { RunService } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { scriptedAgent } from "../../test/serve-a2a.ts";
import { readA2AServerOptions } from "./a2a-server-options.ts";
import type { A2AServerOptions } from "./a2a-server-options.ts";

const agents = { helper: scriptedAgent([]), other: scriptedAgent([]) };

describe("the options of createA2AServer", () => {
  it("have defaults", () => {
    const { logger, runs, ...rest } = readA2AServerOptions({ agents });
    expect(rest).toStrictEqual({
      basePath: "/",
      cardMode: "hybrid",
      version: "1.0.0",
      middleware: [],
      trustAddresses: false,
      genericApiKeyHeader: true,
      maxBodyBytes: 10_485_760,
      heartbeatMs: 15_000,
      firstAgent: "helper",
      mayAnswerByMessage: new Set(),
      push: undefined,
    });
    expect([...runs.agents]).toEqual(Object.entries(agents));
    expect(typeof logger.warn).toBe("function");
  });

  it("are taken as they are", () => {
    const given = {
      basePath: "/a2a/v1.0~x_y-z",
      provider: { organization: "Ada & Co", url: "https://ada.example" },
      cardMode: "v1",
      version: "2.0.0",
      baseUrl: "https://a.example",
      securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } },
      security: [{ key: [] }],
      extendedCard: () => undefined,
      middleware: [() => undefined],
      allowedHosts: ["a.example"],
      allowedOrigins: ["https://b.example"],
      trustAddresses: true,
      genericApiKeyHeader: false,
      maxBodyBytes: 1,
      runOptions: () => undefined,
      heartbeatMs: 1,
      shutdown: { add: () => undefined },
    } satisfies Partial<A2AServerOptions>;
    const settings = readA2AServerOptions({ agents, ...given, mayAnswerByMessage: ["other"], pushNotifications: true });
    expect(settings).toMatchObject(given);
    expect(settings.mayAnswerByMessage).toEqual(new Set(["other"]));
    expect(settings.push?.settings).toMatchObject({ maxAttempts: 8, concurrency: 100 });
  });

  const of = "of createA2AServer";
  it.each<[object, string]>([
    [{ agents: {} }, "agents of createA2AServer must have at least one agent by its name."],
    [{ basePath: "" }, `basePath must be a path such as "/a2a", without a slash at its end, got a string.`],
    [{ basePath: "/a/" }, `basePath must be a path such as "/a2a", without a slash at its end, got a string.`],
    [{ basePath: "//" }, `basePath must be a path such as "/a2a", without a slash at its end, got a string.`],
    [{ cardMode: "v2" }, `cardMode must be "hybrid" or "v1", got a string.`],
    [{ mayAnswerByMessage: ["other", "nobody"] }, `mayAnswerByMessage ${of} must have names of agents, got "nobody".`],
    [{ mayAnswerByMessage: ["toString"] }, `mayAnswerByMessage ${of} must have names of agents, got "toString".`],
  ])("are refused, with the reason: %j", (wrong, message) => {
    expect(() => readA2AServerOptions({ agents, ...wrong })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it.each<[object, string]>([
    [{ version: " " }, "version"],
    [{ baseUrl: "ftp://a.example" }, "baseUrl"],
    [{ provider: { organization: "" } }, "provider.organization"],
    [{ provider: { url: "https://a.example" } }, "provider.organization"],
    [{ provider: { organization: "Ada", url: "a.example" } }, "provider.url"],
    [{ runs: { accept: () => 1, find: () => 1 } }, "runs"],
    [{ mayAnswerByMessage: "helper" }, "mayAnswerByMessage"],
    [{ extendedCard: {} }, "extendedCard"],
    [{ middleware: [1] }, "middleware"],
    [{ trustAddresses: "yes" }, "trustAddresses"],
    [{ genericApiKeyHeader: 1 }, "genericApiKeyHeader"],
    [{ maxBodyBytes: 0 }, "maxBodyBytes"],
    [{ maxBodyBytes: 1.5 }, "maxBodyBytes"],
    [{ runOptions: {} }, "runOptions"],
    [{ pushNotifications: "on" }, "pushNotifications"],
    [{ heartbeatMs: 0 }, "heartbeatMs"],
    [{ heartbeatMs: 2 ** 31 }, "heartbeatMs"],
    [{ shutdown: { close: () => 1 } }, "shutdown"],
    [{ logger: {} }, "logger"],
    [{ path: "/a2a" }, "path"],
  ])("are refused by their name: %j", (wrong, name) => {
    const refusal: unknown = expect.objectContaining({
      code: "invalid_config",
      message: expect.stringContaining(name),
    });
    expect(() => readA2AServerOptions({ agents, ...wrong })).toThrow(refusal);
  });

  it("have no push notifications with a service that has a storage and no sealKeys", () => {
    const call = (): undefined => undefined;
    const runs = { accept: call, find: call, events: call, subscriptions: { canKeep: false } } as unknown as RunService;
    const message =
      "pushNotifications of createA2AServer would store addresses and tokens of receivers. Give the RunService sealKeys, with which they are encrypted.";
    expect(() => readA2AServerOptions({ agents, runs, pushNotifications: true })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it.each([
    ["https://a.example/", "/a2a", "https://a.example/a2a"],
    ["https://a.example", "/", "https://a.example/"],
    [undefined, "/a2a", undefined],
  ])("name the issuer of signatures by the base URL %s and the path %s", (baseUrl, basePath, issuer) => {
    const { push } = readA2AServerOptions({ agents, baseUrl, basePath, pushNotifications: true });
    const token = push?.signer.sign({ body: "", url: "https://b.example", taskId: "t", id: "i" }) ?? "";
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { iss?: string };
    expect(claims.iss).toBe(issuer);
  });
});
