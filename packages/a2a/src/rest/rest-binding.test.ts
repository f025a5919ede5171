import { describe, expect, it } from "vitest";
import { httpExchange } from "../../test/requests-http.ts";
import { message1, neutral } from "../../test/requests.ts";
import { RestBinding } from "./rest-binding.ts";

const binding = new RestBinding("/rest");
const json = { "content-type": "application/json" };
const sentCall = { op: "send", message: neutral, waits: true };

type Made = Parameters<typeof httpExchange>[0];

const read = async (made: Made, { maxBodyBytes = 1000, hasPush = true } = {}) =>
  (await binding.readCall(httpExchange(made), { maxBodyBytes, hasPush })).call;

/** Reads a query. */
const get = async (url: string, headers = {}) => await read({ method: "GET", url, headers });

/** Sends a body of pieces to `message:send`, with the headers by which HTTP/1.1 announces one. */
const post = async (sent: readonly (string | Buffer)[], announced: Record<string, string>, more: Made = {}) =>
  await read({ url: "/rest/message:send", headers: { ...json, ...announced }, sent, ...more });

const body = JSON.stringify({ message: message1 });
const invalid = { kind: "invalid-params" };

describe("RestBinding reads a body", () => {
  it.each<[string, Record<string, string>, string[]]>([
    ["with its length", { "content-length": String(body.length) }, [body]],
    ["in chunks", { "transfer-encoding": "chunked" }, [body.slice(0, 9), body.slice(9)]],
    ["in chunks, of which one is empty", { "transfer-encoding": "chunked" }, ["", body]],
  ])("%s", async (_title, announced, sent) => {
    expect(await post(sent, announced)).toEqual(sentCall);
  });

  it.each<[string, unknown]>([
    ["an object", { message: message1 }],
    ["a string", body],
    ["bytes", Buffer.from(body)],
  ])("that the host has parsed to %s, however it was sent", async (_title, parsed) => {
    expect(await post([], {}, { body: parsed })).toEqual(sentCall);
    expect(await post([], { "content-length": "9" }, { body: parsed })).toEqual(sentCall);
  });

  it("RestBinding reads a body of which nothing was sent, as one without parameters, whatever its type", async () => {
    const subscribe = { op: "subscribe", id: "t" };
    for (const headers of [{}, { "content-length": "0" }, { "content-length": "0", "content-type": "text/plain" }])
      expect(await read({ url: "/rest/tasks/t:subscribe", headers })).toEqual(subscribe);
    const headers = { ...json, "transfer-encoding": "chunked" };
    expect(await read({ url: "/rest/tasks/t:subscribe", headers })).toEqual(subscribe);
    await expect(post([], {})).rejects.toMatchObject({ ...invalid, fields: { field: "params.message" } });
  });

  it("RestBinding reads a body of the type of JSON alone", async () => {
    const plain = { "content-type": "text/plain" };
    for (const announced of [{ "content-length": "9" }, { "transfer-encoding": "chunked" }])
      await expect(post([body], { ...announced, ...plain })).rejects.toMatchObject({
        code: "unsupported_media_type",
      });
  });

  it("RestBinding reads a body that is one object", async () => {
    for (const wrong of ["[]", "null", "1", '"a"']) {
      const sent = post([wrong], { "content-length": String(wrong.length) });
      await expect(sent).rejects.toMatchObject({ ...invalid, fields: { field: "body" } });
    }
    await expect(post(["{"], { "content-length": "1" })).rejects.toMatchObject({ kind: "parse-error" });
  });

  it("RestBinding reads a body of at most maxBodyBytes", async () => {
    const announced = { "transfer-encoding": "chunked" };
    const made = { url: "/rest/message:send", headers: { ...json, ...announced }, sent: [body] };

    expect(await read(made, { maxBodyBytes: body.length })).toEqual(sentCall);
    await expect(read(made, { maxBodyBytes: body.length - 1 })).rejects.toMatchObject({ code: "payload_too_large" });
  });

  it("RestBinding reads a body whose parameters do not replace those of the path, and does not read the query", async () => {
    const sent = [JSON.stringify({ id: "other", tenant: "body" })];
    const headers = { ...json, "content-length": "9" };

    expect(await read({ url: "/rest/acme/tasks/t:cancel?tenant=query&id=query", headers, sent })).toEqual({
      op: "cancel",
      id: "t",
      tenant: "acme",
    });
  });
});

describe("RestBinding reads a query", () => {
  it("RestBinding reads a query with the parameters of the path alone", async () => {
    expect(await get("/rest/tasks/t?historyLength=3&unknown=1&id=other")).toEqual({
      op: "get",
      id: "t",
      historyLength: 3,
    });
    expect(await get("/rest/tasks/t?tenant=acme")).toEqual({ op: "get", id: "t", tenant: "acme" });
    expect(await get("/rest/acme/tasks/t?tenant=other")).toEqual({ op: "get", id: "t", tenant: "acme" });
    expect(await get("/rest/extendedAgentCard?pageSize=x")).toEqual({ op: "extended-card" });
  });

  it("RestBinding reads a query of a list", async () => {
    const query = "contextId=a%20b%2Bc&status=TASK_STATE_WORKING&pageSize=7&pageToken=p&historyLength=0";
    const since = "statusTimestampAfter=2026-01-02T03:04:05.006Z";

    expect(await get(`/rest/tasks?${query}&${since}&includeArtifacts=true`)).toEqual({
      op: "list",
      contextId: "a b+c",
      state: "working",
      pageSize: 7,
      pageToken: "p",
      historyLength: 0,
      since: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
      hasArtifacts: true,
    });
  });

  it.each([
    ["", false],
    ["includeArtifacts=", false],
    ["includeArtifacts=false", false],
    ["includeArtifacts=true", true],
  ])("%j has artifacts: %s", async (query, hasArtifacts) => {
    expect(await get(`/rest/tasks?${query}`)).toMatchObject({ op: "list", hasArtifacts });
  });

  it("takes an empty parameter as absent", async () => {
    expect(await get("/rest/tasks?contextId=&status=&pageSize=&pageToken=")).toEqual(await get("/rest/tasks"));
  });

  it.each(["includeArtifacts=1", "includeArtifacts=TRUE", "pageSize=x", "pageSize=0", "historyLength=-1", "status=x"])(
    "refuses %j, with the name of the parameter",
    async (query) => {
      const field = `params.${query.split("=", 1)[0]}`;
      await expect(get(`/rest/tasks?${query}`)).rejects.toMatchObject({ ...invalid, fields: { field } });
    },
  );

  it("refuses a parameter that is given twice, if it is one of the path", async () => {
    const twice = { ...invalid, fields: { field: "params.pageSize" }, message: "params.pageSize must be given once." };
    await expect(get("/rest/tasks?pageSize=1&pageSize=1")).rejects.toMatchObject(twice);
    await expect(get("/rest/tasks?pageSize=&pageSize=1")).rejects.toMatchObject(twice);

    expect(await get("/rest/tasks/t?pageSize=1&pageSize=2")).toEqual({ op: "get", id: "t" });
  });

  it("RestBinding reads a query for DELETE too, without a body", async () => {
    const url = "/rest/tasks/t/pushNotificationConfigs/c?tenant=acme";
    const headers = { "content-length": "9", "content-type": "text/plain" };

    expect(await read({ method: "DELETE", url, headers, sent: ["not json"] })).toEqual({
      op: "delete-push",
      id: "t",
      configId: "c",
      tenant: "acme",
    });
  });
});

describe("RestBinding", () => {
  it.each([
    ["1.0", true],
    ["1.0.9", true],
    [" 1.0 ", true],
    ["", true],
    [" ", true],
    ["0.3", false],
    ["1.1", false],
    ["1", false],
    ["latest", false],
  ])("takes the version %j: %s", async (version, isTaken) => {
    const calls = [
      get("/rest/tasks/t", { "a2a-version": version }),
      get(`/rest/tasks/t?A2A-Version=${encodeURIComponent(version)}`),
    ];
    const ends = await Promise.allSettled(calls);

    for (const end of ends)
      expect(end).toMatchObject(isTaken ? { status: "fulfilled" } : { reason: { kind: "version-not-supported" } });
  });

  it("refuses push configs where the server sends none", async () => {
    const made = { method: "GET", url: "/rest/tasks/t/pushNotificationConfigs" };
    expect(await read(made)).toEqual({ op: "list-push", id: "t" });

    await expect(read(made, { hasPush: false })).rejects.toMatchObject({ kind: "push-not-supported" });
  });

  it.each([
    [{}, "application/json"],
    [{ accept: "*/*", ...json }, "application/json"],
    [{ accept: "text/event-stream" }, "application/json"],
    [{ accept: "application/json, application/a2a+json;q=0.5" }, "application/a2a+json"],
    [{ "content-type": "application/a2a+json; charset=utf-8" }, "application/a2a+json"],
    [{ "content-type": "Application/A2A+JSON" }, "application/a2a+json"],
    [{ accept: "APPLICATION/A2A+JSON" }, "application/a2a+json"],
  ])("answers a client with the headers %j in %s", (headers, mediaType) => {
    const { dialect, errorEvent, ...form } = binding.formFor(httpExchange({ headers }));

    expect([dialect.version, errorEvent, form.mediaType]).toEqual(["1.0", "error", mediaType]);
  });
});
