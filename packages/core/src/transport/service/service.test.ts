import { WrittenResponse } from "@troupe-internal/fake-responses";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { RunService } from "../../runs/service/run-service.ts";
import { exchangeOf } from "../exchange/test/exchange-of.ts";
import { readMessage } from "../request/run-fields.ts";
import type { ServiceRequest } from "../request/service-request.ts";
import { toServiceRequest } from "../request/service-request.ts";
import { createService } from "./service.ts";
import type { RunReading } from "../request/run-fields.ts";
import type { Service } from "./service.ts";
import type { ServiceOptions } from "./service-options.ts";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => ({ text: "Hello." })) });

function serve(options: ServiceOptions = {}): Service {
  const service = createService({ agents: { helper }, logger: silentLogger, ...options });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return service;
}

/** The exchange of a request from an address, with these headers. */
const exchange = (request: object = {}) =>
  exchangeOf(new WrittenResponse(), { socket: { remoteAddress: "10.0.0.1" }, ...request }).exchange;

/** A request of a protocol that is no exchange, with the number of requests that were made of it for the host. */
function sourceOf(remoteAddress: string | undefined = "10.0.0.1") {
  const request = toServiceRequest({
    protocol: "socket",
    method: "CONNECT",
    path: "/",
    headers: {},
    remoteAddress,
    native: undefined,
    principal: undefined,
  });
  const toRequest = vi.fn<() => ServiceRequest>(() => request);
  return { remoteAddress, toRequest, request };
}

describe("a service", () => {
  it("has its registries by name, and the run service of the host if it is given one", () => {
    const runs = new RunService({ agents: { helper } });
    const service = serve({ teams: { crew: helper }, runs });

    expect([...service.agents, ...service.teams, ...service.workflows]).toEqual([
      ["helper", helper],
      ["crew", helper],
    ]);
    expect([service.runs, service.logger, serve().runs]).toEqual([runs, silentLogger, undefined]);
    expect([service.servedRuns.isDurable("agent", "helper"), serve().servedRuns.isDurable("agent", "helper")]).toEqual([
      true,
      false,
    ]);
  });

  it("makes a run service of all that it serves if it is durable, in its own storage or in that of durable", async () => {
    const [one, other] = [new InMemoryStorage(), new InMemoryStorage()];
    for (const options of [{ storage: one, durable: true }, { durable: { storage: other } }]) {
      const { runs } = serve(options);
      await runs?.accept({ kind: "agent", name: "helper", input: "Hi." });
    }

    for (const storage of [one, other]) expect(await storage.list(runNamespaces.runs)).toHaveLength(1);
  });

  it("names the function that took its options in an error, and checks what its run service needs", () => {
    const memory = new InMemoryStorage();
    const lasting = {
      get: memory.get.bind(memory),
      set: memory.set.bind(memory),
      delete: memory.delete.bind(memory),
      list: memory.list.bind(memory),
      compareAndSet: memory.compareAndSet.bind(memory),
      close: memory.close.bind(memory),
    };

    expect(() => createService({ x: 1 } as never)).toThrow('Unknown option "x" of createService.');
    expect(() => createService({ x: 1 } as never, "createA2AServer")).toThrow('Unknown option "x" of createA2AServer.');
    expect(() => serve({ storage: lasting, durable: {} })).toThrow("sealKeys");
    expect(() => serve({ storage: lasting, durable: true })).not.toThrow();
    expect(() => serve({ storage: lasting, durable: { sealKeys: ["short"] } })).toThrow("sealKeys");
    expect(() => serve({ storage: lasting, durable: { sealKeys: false } })).not.toThrow();
  });
});

describe("the options of the host for a run", () => {
  const limits = { totalTokens: 5 };

  it.each<[ServiceOptions, object | undefined]>([
    [{}, undefined],
    [{ limits }, { limits }],
    [{ runOptions: () => undefined }, undefined],
    [{ limits, runOptions: () => undefined }, { limits }],
    [
      { limits, runOptions: async () => ({ metadata: { a: 1 } }) },
      { limits, metadata: { a: 1 } },
    ],
    [{ limits, runOptions: () => ({ limits: { durationMs: 7 } }) }, { limits: { durationMs: 7 } }],
    [{ limits, runOptions: () => ({ limits: undefined }) }, { limits }],
  ])("are of %j: %j", async (options, expected) => {
    expect(await serve(options).runOptionsFor(sourceOf())).toEqual(expected);
  });

  it("are asked for with the request, and refused if they are wrong or fail", async () => {
    const failure = new TroupeError("forbidden", "No plan.");
    const runOptions = vi.fn<() => never>(() => {
      throw failure;
    });
    const { request, ...source } = sourceOf();

    await expect(serve({ runOptions }).runOptionsFor(source)).rejects.toBe(failure);
    expect(runOptions.mock.calls).toEqual([[request]]);
    await expect(serve({ runOptions: () => ({ limit: 1 }) as never }).runOptionsFor(source)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining('Unknown option "limit" of runOptions(request).'),
    });
    await expect(serve({ runOptions: () => null as never }).runOptionsFor(source)).rejects.toMatchObject({
      message: "runOptions(request) must be an object, got null.",
    });
  });
});

describe("the user of a request", () => {
  it("is whom authenticate returns, and nobody without it", async () => {
    const authenticate = vi.fn<() => Promise<{ userId: string }>>(async () => ({ userId: "ada" }));
    const { request, ...source } = sourceOf();

    expect(await serve({ authenticate }).authenticate(source)).toEqual({ userId: "ada" });
    expect(authenticate.mock.calls).toEqual([[request]]);
    expect(await serve().authenticate(sourceOf())).toBeUndefined();
  });

  it.each(["throws", "rejects"])("is an error where authenticate %s", async (how) => {
    const failure = new TroupeError("unauthorized", "Who are you?");
    const authenticate = () => {
      if (how === "throws") throw failure;
      return Promise.reject(failure);
    };

    await expect(serve({ authenticate }).authenticate(sourceOf())).rejects.toBe(failure);
  });
});

describe("the address of a request", () => {
  it.each<[ServiceOptions["trustAddresses"], string | undefined]>([
    [undefined, undefined],
    [false, undefined],
    [true, "10.0.0.1"],
    [({ remoteAddress }) => `${remoteAddress} of the host`, "10.0.0.1 of the host"],
    [() => undefined, undefined],
  ])("is, with trustAddresses %s, %j", (trustAddresses, expected) => {
    expect(serve({ trustAddresses }).addressOf(sourceOf())).toBe(expected);
  });

  it("is unknown where the server does not know it, and makes a request only for a function", () => {
    const [known, unknown] = [sourceOf(), sourceOf(undefined)];
    const service = serve({ trustAddresses: true });

    expect([service.addressOf(known), service.addressOf({ ...unknown, remoteAddress: undefined })]).toEqual([
      "10.0.0.1",
      undefined,
    ]);
    expect(known.toRequest).not.toHaveBeenCalled();
  });
});

it("an answer to another user's question is left to mayAnswer, with the request that gives it", async () => {
  const question = { runId: "r", id: "w" } as never;
  const mayAnswer = vi.fn<() => Promise<boolean>>(async () => true);
  const { request, ...source } = sourceOf();
  const ask = serve({ mayAnswer }).mayAnswerFor(source);

  expect(source.toRequest).not.toHaveBeenCalled();
  expect(await ask?.(question)).toBe(true);
  expect(mayAnswer.mock.calls).toEqual([[request, question]]);
  expect(serve().mayAnswerFor(source)).toBeUndefined();
});

describe("the run of a request", () => {
  /** The reading of a run with these fields, which notes its order. */
  function reading(fields: object = { input: "Hi." }, order: string[] = []): RunReading<unknown> {
    return {
      readInput: (input, where) => {
        order.push(`input in ${where}`);
        return readMessage(input, where);
      },
      readFields: async () => {
        order.push("fields");
        return await Promise.resolve(fields);
      },
    };
  }

  it("is read in order: the host's options, the fields, the address, the input", async () => {
    const order: string[] = [];
    const service = serve({
      runOptions: async () => void order.push("options"),
      trustAddresses: () => void order.push("address"),
    });
    await service.readRun(exchange(), helper, reading({ input: "Hi." }, order));
    await service.readRun(exchange(), helper, { ...reading({ input: "Hi." }, order), where: "message" });

    const each = ["options", "fields", "address"];
    expect(order).toEqual([...each, "input in body", ...each, "input in message"]);
  });

  it("is read for nobody whose principal is malformed, before the host is asked", async () => {
    const order: string[] = [];
    const service = serve({ runOptions: () => void order.push("options") });

    await expect(
      service.readRun(exchange({ principal: { userId: 7 } }), helper, reading({}, order)),
    ).rejects.toMatchObject({ code: "internal" });
    expect(order).toEqual([]);
  });

  it("has its user, keys, address and limits, and its id in the record of the request", async () => {
    const limits = { totalTokens: 5 };
    const service = serve({ limits, trustAddresses: true });
    const headers = { "x-api-key": "sk-1", "x-openai-api-key": "sk-2" };
    const own = exchange({ principal: { userId: "ada", tenantId: "t" }, headers });
    const requested = await service.readRun(own, helper, reading({ input: "Hi.", sessionId: "s" }));

    const user = { userId: "ada", tenantId: "t" };
    expect(requested).toMatchObject({ subject: helper, input: "Hi.", owner: user, address: "10.0.0.1" });
    expect(requested.opts).toMatchObject({ ...user, sessionId: "s", limits, fromOutside: true, apiKey: "sk-1" });
    expect(own.record).toEqual({ runId: requested.opts.runId });
  });

  it("has a user that the client names as the service says, and no key of a header that the host reserves", async () => {
    const fields = { input: "Hi.", userId: "ada" };
    const headers = { "x-api-key": "of-the-host" };
    const trusted = serve({ bodyUserId: "trusted", genericApiKeyHeader: false });

    const read = async (service: Service) => await service.readRun(exchange({ headers }), helper, reading(fields));
    const [own, other] = [await read(trusted), await read(serve())];
    expect([own.opts, other.opts]).toMatchObject([
      { userId: "ada", verified: true },
      { userId: "ada", verified: false, apiKey: "of-the-host" },
    ]);
    expect(own.opts.apiKey).toBeUndefined();
    expect([own.owner, own.address]).toEqual([{}, undefined]);
  });

  it("has no id in the record of a request that is refused", async () => {
    const own = exchange();

    await expect(serve().readRun(own, helper, reading({ input: "" }))).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(own.record).toEqual({});
  });
});

it("a client is asked to connect anew only while the service ends, before the head of its answer", async () => {
  const service = serve();
  const [before, during, late] = [new WrittenResponse(), new WrittenResponse(), new WrittenResponse()];
  service.closeIfDraining(exchangeOf(before).exchange);
  void service.close();
  late.flushHeaders();
  for (const response of [during, late]) service.closeIfDraining(exchangeOf(response).exchange);

  expect([before, during, late].map(({ headers }) => headers["connection"])).toEqual([undefined, "close", undefined]);
  await service.closed;
});
