import { Readable } from "node:stream";
import { TroupeError } from "@troupe/core";
import { readMessage, readWorkflowInput } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { exchangeOf, WrittenResponse } from "../../test/written-response.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { readRunRequest, toRunRequest } from "./read-run-request.ts";

type Given = {
  body?: unknown;
  headers?: Record<string, string>;
  request?: object;
  settings?: object;
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
  const fields = { url: "/agents/a/run", baseUrl: "", ip: "10.0.0.1", ...rest.request, headers: sent };
  const made = exchangeOf(response);
  const exchange = { ...made.exchange, request: Object.assign(Readable.from(bytes), fields) } as never;
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
  const whole = {
    bodyUserId: "unverified",
    genericApiKeyHeader: true,
    trustAddresses: false,
    maxBodyBytes: 1000,
    uploads,
    ...rest.settings,
  } as unknown as RouterSettings;
  const subject = { name: "a" };
  const input = takesFiles ? { read: readMessage, takesFiles } : { read: readWorkflowInput as never, takesFiles };
  const done = readRunRequest(exchange, subject, { settings: whole, input });
  done.catch(() => undefined);
  return { done, told, response, subject, exchange, settings: whole };
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
      request: { url: "/agents/a/run?early=1&onDisconnect=cancel", principal: { userId: "ada", tenantId: "acme" } },
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
    const query = { early: true, endsWithClient: true };
    expect(made).toEqual({ subject, input: "Hi.", opts, owner, address: "10.0.0.1", query });
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
    const { opts, owner, address, query } = await done;
    expect(opts).toMatchObject({ runId: uuid, sessionId: uuid, isNewSession: true, apiKeys: {} });
    expect([owner, address, query, opts.apiKey]).toEqual([
      {},
      undefined,
      { early: false, endsWithClient: false },
      undefined,
    ]);
    expect(response.headers["x-session-id"]).toBe(opts.sessionId);
  });

  it.each([
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
  ])("with genericApiKeyHeader %s takes the key %s", async (genericApiKeyHeader, apiKey) => {
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

  const expected = "Expected input, sessionId, userId, apiKey or messages.";
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
      "a wrong query before all else",
      { request: { url: "/?early=2", principal: 7 }, isUpload: true },
      invalid("early must be 1 or 0, once, such as ?early=1."),
      [],
    ],
    [
      "a wrong principal before its form is read",
      { request: { principal: 7 }, isUpload: true },
      { message: expect.stringContaining("request.principal") as string },
      [],
    ],
    [
      "wrong options of the host before its form is read",
      { settings: { runOptions: () => ({ odd: 1 }) }, isUpload: true },
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
    expect(asked).toEqual([(exchange as { request: unknown }).request]);
  });
});

it("makes the request of given fields, read behind the query and the host's options", async () => {
  const order: string[] = [];
  const { done, exchange, settings, subject, response } = read({ takesFiles: false });
  await done;
  const runOptions = async () => {
    order.push("options");
    return undefined;
  };
  const readFields = async () => {
    order.push("fields");
    return { input: "Hi.", sessionId: "c1" };
  };
  const made = await toRunRequest(exchange, subject, {
    settings: { ...settings, runOptions },
    readInput: readMessage,
    readFields,
  });
  expect([order, made.input, response.headers["x-session-id"]]).toEqual([["options", "fields"], "Hi.", "c1"]);
});
