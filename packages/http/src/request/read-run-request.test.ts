import { Readable } from "node:stream";
import { createLogger, TroupeError } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { readMessage, readWorkflowInput } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { NodeExchange } from "@troupe/core/transport";
import type { NodeRequest } from "@troupe/core/transport";
import { requestRecordOf } from "@troupe/core/transport";
import type { HttpParts } from "../settings/http-options.ts";
import { readRunRequest } from "./read-run-request.ts";

type Given = {
  body?: unknown;
  headers?: Record<string, string>;
  request?: object;
  settings?: ServiceOptions;
  takesFiles?: boolean;
  isUpload?: boolean;
  failing?: string;
};

/** Reads a request, and keeps what the uploads and the host's options are asked. */
function read(given: Given = {}) {
  const { body, takesFiles, isUpload, failing, ...rest } = { takesFiles: true, isUpload: false, ...given };
  const told: unknown[] = [];
  const bytes = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  const length = String(bytes[0]?.length ?? 0);
  const sent = { "content-type": "application/json", "content-length": length, ...rest.headers };
  const response = new WrittenResponse();
  const fields = { method: "POST", url: "/agents/a/run", baseUrl: "", ip: "10.0.0.1", ...rest.request, headers: sent };
  const request = Object.assign(Readable.from(bytes), fields) as unknown as NodeRequest;
  const exchange = new NodeExchange(request, response.asResponse, createLogger());
  const tell = (name: string, ...asked: unknown[]): void => {
    told.push([name, ...asked]);
    if (failing === name) throw new TroupeError("payload_too_large", name);
  };
  const uploads = {
    isUpload: () => isUpload,
    readBody: async (_: unknown, check: (name: string) => void) => {
      tell("readBody");
      check("input");
      check("odd");
    },
    jsonReader: (asked: unknown) => {
      tell("jsonReader", asked === exchange);
      return async () => {
        tell("readLarge");
        return Buffer.from('{"input":"Large."}');
      };
    },
    checkJson: (checked: unknown) => tell("checkJson", checked),
  };
  const service = createService(rest.settings ?? {});
  const { maxBodyBytes = 1000 } = service.settings;
  const parts = { service, uploads, maxBodyBytes } as unknown as HttpParts;
  const subject = { name: "a" };
  const input = takesFiles ? { read: readMessage, takesFiles } : { read: readWorkflowInput as never, takesFiles };
  const done = readRunRequest(exchange, subject, { parts, input });
  done.catch(() => undefined);
  return { done, told, response, subject, exchange, service };
}

const uuid = expect.stringMatching(/^[\da-f-]{36}$/) as string;
const invalid = (message: string) => ({ code: "invalid_request", message });

describe("readRunRequest", () => {
  it("returns all of a request, and notes and sends the ids of its run", async () => {
    const body = {
      input: "Hi.",
      sessionId: "s1",
      userId: "ada",
      apiKey: "body-key",
      messages: [{ role: "user", content: "x" }],
    };
    const { done, response, subject, told } = read({
      body,
      headers: { "x-openai-api-key": "vendor-key" },
      request: { principal: { userId: "ada", tenantId: "acme" } },
      settings: { trustAddresses: true, runOptions: async () => ({ metadata: { plan: "gold" } }) },
    });
    const made = await done;

    const opts = {
      metadata: { plan: "gold" },
      runId: uuid,
      sessionId: "s1",
      isNewSession: false,
      fromOutside: true,
      messages: body.messages,
      apiKeys: { openai: "vendor-key" },
      apiKey: "body-key",
      userId: "ada",
      tenantId: "acme",
    };
    const owner = { userId: "ada", tenantId: "acme" };
    expect(made).toEqual({ subject, input: "Hi.", opts, owner, address: "10.0.0.1" });
    expect(made.subject).toBe(subject);
    expect(response.headers).toEqual({ "x-run-id": made.opts.runId, "x-session-id": "s1" });
    expect(requestRecordOf(response.asResponse)).toEqual({ runId: made.opts.runId });
    expect(told).toEqual([
      ["jsonReader", true],
      ["checkJson", body],
    ]);
  });

  it("gives a request without them a new session, no owner, no address and no keys", async () => {
    const { done, response } = read({ body: { input: "Hi." } });
    const { opts, owner, address } = await done;
    expect(opts).toMatchObject({ runId: uuid, sessionId: uuid, isNewSession: true, apiKeys: {} });
    expect([owner, address, opts.apiKey]).toEqual([{}, undefined, undefined]);
    expect(response.headers["x-session-id"]).toBe(opts.sessionId);
  });

  it.each<["trusted" | "unverified", boolean]>([
    ["trusted", true],
    ["unverified", false],
  ])("takes the user of a body that is %s with verified %j", async (bodyUserId, verified) => {
    const { done } = read({ body: { input: "Hi.", userId: "ada" }, settings: { bodyUserId } });
    const { opts, owner } = await done;
    expect([opts.userId, opts.verified, owner]).toEqual(["ada", verified, {}]);
  });

  it("refuses the user of a body that is not its principal", async () => {
    const { done } = read({ body: { input: "Hi.", userId: "bob" }, request: { principal: { userId: "ada" } } });
    await expect(done).rejects.toMatchObject({ code: "forbidden" });
  });

  it.each([
    [true, "header-key"],
    [false, "body-key"],
  ])("readRunRequest with genericApiKeyHeader %s takes the key %s", async (genericApiKeyHeader, apiKey) => {
    const body = { input: "Hi.", apiKey: "body-key" };
    const { done } = read({ body, headers: { "x-api-key": "header-key" }, settings: { genericApiKeyHeader } });
    expect((await done).opts.apiKey).toBe(apiKey);
  });

  it("reads a body over maxBodyBytes by the reader of uploads, and one of maxBodyBytes by itself", async () => {
    const body = { input: "Hi." };
    const size = JSON.stringify(body).length;
    const large = read({ body, settings: { maxBodyBytes: size - 1 } });
    expect([(await large.done).input, large.told]).toEqual([
      "Large.",
      [["jsonReader", true], ["readLarge"], ["checkJson", { input: "Large." }]],
    ]);
    const small = read({ body, settings: { maxBodyBytes: size } });
    expect([(await small.done).input, small.told.length]).toEqual(["Hi.", 2]);
  });

  it("asks the uploads nothing for a subject that takes no files, whose body has the limit maxBodyBytes", async () => {
    const { done, told } = read({ body: { input: "Hi." }, takesFiles: false, isUpload: true });
    expect([(await done).input, told]).toEqual(["Hi.", []]);
    const over = read({ body: { input: "Hi." }, takesFiles: false, settings: { maxBodyBytes: 3 } });
    await expect(over.done).rejects.toMatchObject({ code: "payload_too_large" });
  });

  it("takes a request without a body where the subject needs no input, and checks no data of it", async () => {
    const { done, told } = read({ takesFiles: false });
    expect([(await done).input, told]).toEqual([undefined, []]);
    const without = read();
    await expect(without.done).rejects.toMatchObject(
      invalid('The body must have an input, such as {"input": "Hello"}.'),
    );
    expect(without.told).toEqual([["jsonReader", true]]);
  });

  const expected = "Expected input, sessionId, userId, apiKey, messages or webhook.";
  it.each<[string, Given, object, unknown[]]>([
    [
      "an unknown field",
      { body: { input: "Hi.", odd: 1 } },
      invalid(`Unknown field "odd" in the body. ${expected}`),
      [["jsonReader", true]],
    ],
    [
      "an unknown field of a form",
      { isUpload: true },
      invalid(`Unknown field "odd" in the body. ${expected}`),
      [["readBody"]],
    ],
    [
      "a wrong key before a form is read",
      { isUpload: true, headers: { "x-api-key": "a b" } },
      { code: "invalid_request" },
      [],
    ],
    [
      "data of a part",
      { body: { input: "Hi." }, failing: "checkJson" },
      { message: "checkJson" },
      [
        ["jsonReader", true],
        ["checkJson", { input: "Hi." }],
      ],
    ],
    [
      "a wrong principal before its form is read",
      { request: { principal: 7 }, isUpload: true },
      { message: expect.stringContaining("request.principal") as string },
      [],
    ],
    [
      "wrong options of the host before its form is read",
      { settings: { runOptions: () => ({ odd: 1 }) as object }, isUpload: true },
      { code: "invalid_config" },
      [],
    ],
  ])("refuses %s, and sends no ids", async (_, ...[given, error, asked]) => {
    const { done, response, told } = read(given);
    await expect(done).rejects.toMatchObject(error);
    expect([told, response.headers, requestRecordOf(response.asResponse)]).toEqual([asked, {}, {}]);
  });

  it("leaves the generic key of a form to the host, where genericApiKeyHeader is false", async () => {
    const { done, told } = read({
      isUpload: true,
      headers: { "x-api-key": "a b" },
      settings: { genericApiKeyHeader: false },
    });
    await expect(done).rejects.toMatchObject({ message: expect.stringContaining('"odd"') as string });
    expect(told).toEqual([["readBody"]]);
  });

  it("gives the host's options its request, and rejects with their failure", async () => {
    const failure = new Error("planned");
    const asked: unknown[] = [];
    const runOptions = (request: unknown): never => {
      asked.push(request);
      throw failure;
    };
    const { done, exchange } = read({ body: { input: "Hi." }, settings: { runOptions } });
    await expect(done).rejects.toBe(failure);
    expect(asked).toEqual([
      expect.objectContaining({ method: "POST", path: "/agents/a/run", native: exchange.native }),
    ]);
  });
});

it("readRunRequest reads given fields behind the host's options, and notes the id of the run", async () => {
  const order: string[] = [];
  const runOptions = async () => void order.push("options");
  const { done, exchange, service, subject, response } = read({ takesFiles: false, settings: { runOptions } });
  await done;
  order.length = 0;
  const readFields = async () => {
    order.push("fields");
    return { input: "Hi.", sessionId: "c1" };
  };
  const made = await service.readRun(exchange, subject, { readInput: readMessage, readFields });
  expect([order, made.input, made.opts.sessionId]).toEqual([["options", "fields"], "Hi.", "c1"]);
  expect(requestRecordOf(response.asResponse)).toEqual({ runId: made.opts.runId });
});
