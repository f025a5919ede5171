import { RunService } from "@troupe/core/runs";
import { createLogger, InMemoryStorage, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { message1, scriptedAgent, serveA2A } from "../test/serve-a2a.ts";
import { a2a } from "./a2a.ts";
import { createA2AServer } from "./create-a2a-server.ts";
import type { A2AServerOptions } from "./create-a2a-server.ts";
import { readA2AOptions } from "./server/a2a-options.ts";
import { partsOf } from "./server/a2a-parts.ts";

const agents = { helper: scriptedAgent([]), other: scriptedAgent([]) };
const logger = createLogger({ level: "silent" });

describe("the options of A2A", () => {
  it("have defaults", () => {
    const settings = readA2AOptions({}, "a2a");
    expect(settings).toStrictEqual({
      basePath: "/a2a",
      cardMode: "hybrid",
      version: "1.0.0",
      mayAnswerByMessage: [],
      pushNotifications: false,
    });
    const { service } = createA2AServer({ agents });
    const { runs, maxBodyBytes, firstAgent, push } = partsOf(service, settings, { owner: "a2a" });
    expect({ maxBodyBytes, firstAgent, push }).toEqual({
      maxBodyBytes: 10_485_760,
      firstAgent: "helper",
      push: undefined,
    });
    expect([...runs.agents]).toEqual(Object.entries(agents));
  });

  it("are taken as they are", () => {
    const given = {
      basePath: "/a2a/v1.0~x_y-z",
      provider: { organization: "Ada & Co", url: "https://ada.example" },
      cardMode: "v1",
      version: "2.0.0",
      baseUrl: "https://a.example",
      mayAnswerByMessage: ["other"],
      securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } },
      security: [{ key: [] }],
      extendedCard: () => undefined,
    } as const;
    const settings = readA2AOptions({ ...given, pushNotifications: true }, "a2a");
    expect(settings).toMatchObject(given);
    expect(settings.pushNotifications).toMatchObject({ timeoutMs: 10_000, maxPerTask: 10 });
    const { service } = createA2AServer({ agents, maxBodyBytes: 1 });
    const parts = partsOf(service, settings, { owner: "a2a" });
    expect([parts.mayAnswerByMessage, parts.maxBodyBytes]).toEqual([new Set(["other"]), 1]);
  });

  it("are those of the service and of the protocol, without the host's handlers for a protocol alone", () => {
    const options = {
      middleware: [() => undefined],
      allowedHosts: ["a.example"],
      allowedOrigins: ["https://b.example"],
      trustAddresses: true,
      genericApiKeyHeader: false,
      runOptions: () => undefined,
      heartbeatMs: 1,
      version: "2.0.0",
    } satisfies Partial<A2AServerOptions>;
    const { middleware: _, version: _version, ...ofService } = options;
    expect(createA2AServer({ agents, ...options }).service.settings).toMatchObject(ofService);
    const known =
      "Expected basePath, provider, cardMode, version, baseUrl, mayAnswerByMessage, securitySchemes, security, extendedCard or pushNotifications.";
    for (const [name, value] of Object.entries({ middleware: options.middleware, ...ofService })) {
      expect(() => a2a({ [name]: value })).toThrow(`Unknown option "${name}" of a2a. ${known}`);
    }
  });

  const of = "of createA2AServer";
  it.each<[object, string]>([
    [{ agents: {} }, "createA2AServer needs at least one agent or team by its name."],
    [{ basePath: "" }, `basePath must be a path such as "/a2a", without a slash at its end, got a string.`],
    [{ basePath: "/a/" }, `basePath must be a path such as "/a2a", without a slash at its end, got a string.`],
    [{ basePath: "//" }, `basePath must be a path such as "/a2a", without a slash at its end, got a string.`],
    [{ cardMode: "v2" }, `cardMode must be "hybrid" or "v1", got a string.`],
    [{ mayAnswerByMessage: ["other", "nobody"] }, `mayAnswerByMessage ${of} must have names of agents, got "nobody".`],
    [{ mayAnswerByMessage: ["toString"] }, `mayAnswerByMessage ${of} must have names of agents, got "toString".`],
  ])("are refused, with the reason: %j", (wrong, message) => {
    expect(() => createA2AServer({ agents, ...wrong })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  const aText = "must be a string that is not blank, got a string.";
  const anAddress = "must be an http: or https: address without credentials, query or fragment, got a string.";
  const aTime = "must be an integer from 1 to 2147483647, got";
  const call = (): undefined => undefined;
  it.each<[object, string]>([
    [{ version: " " }, `version ${aText}`],
    [{ baseUrl: "ftp://a.example" }, `baseUrl ${anAddress}`],
    [{ provider: { organization: "" } }, `provider.organization ${aText}`],
    [
      { provider: { url: "https://a.example" } },
      "provider.organization must be a string that is not blank, got undefined.",
    ],
    [{ provider: { organization: "Ada", url: "a.example" } }, `provider.url ${anAddress}`],
    ...["accept", "find", "events"].map((missing): [object, string] => [
      { runs: { accept: call, find: call, events: call, [missing]: undefined } },
      "runs must be a RunService, with the methods accept, find and events, got an object.",
    ]),
    [{ mayAnswerByMessage: "helper" }, "mayAnswerByMessage must be an array of names, got a string."],
    [{ extendedCard: {} }, "extendedCard must be a function, got an object."],
    [{ middleware: call }, "middleware must be an array of request handlers, got a function."],
    [{ middleware: [1] }, "middleware[0] must be a function, got 1."],
    [{ trustAddresses: "yes" }, "trustAddresses must be true, false or a function, got a string."],
    [{ genericApiKeyHeader: 1 }, "genericApiKeyHeader must be true or false, got 1."],
    [{ maxBodyBytes: 0 }, "maxBodyBytes must be a positive integer, got 0."],
    [{ maxBodyBytes: 1.5 }, "maxBodyBytes must be a positive integer, got 1.5."],
    [{ runOptions: {} }, "runOptions must be a function, got an object."],
    [{ pushNotifications: "on" }, "pushNotifications must be an object, got a string."],
    [
      { pushNotifications: { maxAttempts: 0 } },
      "pushNotifications.maxAttempts must be an integer from 1 to 1000, got 0.",
    ],
    [{ heartbeatMs: 0 }, `heartbeatMs ${aTime} 0.`],
    [{ heartbeatMs: 2 ** 31 }, `heartbeatMs ${aTime} 2147483648.`],
    [
      { logger: {} },
      "logger must be a logger such as createLogger({ level }), with the methods debug, info, warn, error, child and withSecrets, got an object.",
    ],
  ])("are refused, and told how to mend them: %j", (wrong, message) => {
    expect(() => createA2AServer({ agents, ...wrong })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it.each(["path", "shutdown"])("are refused where they have no meaning: %s", (name) => {
    const message = expect.stringContaining(`Unknown option "${name}" of createA2AServer. Expected agents, teams, `);
    expect(() => createA2AServer({ agents, [name]: "/a2a" })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it("have no push notifications with a service that has a storage and no sealKeys", () => {
    const runs = new RunService({ agents, storage: new InMemoryStorage(), logger });
    onTestFinished(async () => await runs.close());
    Object.defineProperty(runs.webhooks, "canSubscribe", { value: false });
    const message =
      "pushNotifications of createA2AServer would store addresses and tokens of receivers. Give sealKeys to the RunService, or to durable: they are encrypted with them.";
    expect(() => createA2AServer({ agents, runs, pushNotifications: true })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it.each([
    ["https://a.example/", "/a2a", "https://a.example/a2a"],
    ["https://a.example", "/", "https://a.example/"],
    [undefined, "/a2a", undefined],
  ])("name the issuer of signatures by the base URL %s and the path %s", async (baseUrl, basePath, issuer) => {
    const { service } = createA2AServer({ agents });
    const settings = readA2AOptions({ baseUrl, basePath, pushNotifications: true }, "a2a");
    const push = await partsOf(service, settings, { owner: "a2a" }).push;
    const token = push?.signer.sign({ body: "", url: "https://b.example", taskId: "t", id: "i" }) ?? "";
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { iss?: string };
    expect(claims.iss).toBe(issuer);
  });
});

describe("createA2AServer", () => {
  const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [scriptedAgent([])] });

  it("has its service, which is its own", async () => {
    const handler = createA2AServer({ agents });
    expect([...handler.service.agents]).toEqual(Object.entries(agents));
    await handler.service.close();
    await expect(handler.service.closed).resolves.toBeUndefined();
  });

  it("runs as a team what the host's run service has as one, and keeps the order of its agents", async () => {
    const first = scriptedAgent([{ text: "I am the agent." }]);
    const runs = new RunService({ agents: { first }, teams: { team }, logger });
    onTestFinished(async () => await runs.close());
    await runs.serve();
    const served = await serveA2A({ agents: { team, first }, runs, logger });
    expect([...served.service.teams.keys(), ...served.service.agents.keys()]).toEqual(["team", "first"]);
    const card = (await (await fetch(`${served.url}/.well-known/agent-card.json`)).json()) as {
      skills: { id: string }[];
    };
    expect(card.skills.map(({ id }) => id)).toEqual(["team", "first"]);
    const sent = { ...message1("Hi"), configuration: { returnImmediately: true } };
    const { result } = await served.call("SendMessage", sent);
    expect(await runs.get(result.task.id, "host")).toMatchObject({ kind: "team", name: "team" });
  });

  it("runs a team as an agent where no run service has it as a team, behind the teams that are given as such", () => {
    const { service } = createA2AServer({ agents: { one: team, two: agents.other }, teams: { three: team } });
    expect([[...service.agents.keys()], [...service.teams.keys()]]).toEqual([["one", "two"], ["three"]]);
  });

  it.each([true, false])(
    "hands a message without a name to the first agent, before all teams: %j",
    async (isTeamFirst) => {
      const first = scriptedAgent([{ text: "I am the agent." }]);
      const teams = { three: team };
      const given = { first, two: scriptedAgent([]) };
      const served = await serveA2A({ ...(isTeamFirst ? { teams, agents: given } : { agents: given, teams }), logger });
      const { result } = await served.call("SendMessage", message1("Hi"));
      expect(JSON.stringify(result)).toContain("I am the agent.");
      const card = (await (await fetch(`${served.url}/.well-known/agent-card.json`)).json()) as {
        skills: { id: string }[];
      };
      expect(card.skills.map(({ id }) => id)).toEqual(["first", "two", "three"]);
    },
  );

  it("refuses a name that an agent and a team share, and another runnable under a name of the run service", async () => {
    const runs = new RunService({ agents: { helper: scriptedAgent([]) }, logger });
    onTestFinished(async () => await runs.close());
    for (const wrong of [{ teams: { helper: team } }, { runs }]) {
      expect(() => createA2AServer({ agents, ...wrong })).toThrow(expect.objectContaining({ code: "invalid_config" }));
    }
  });
});
