import { describe, expect, it } from "vitest";
import { errorOf, message0, message1, neutral, parse, request } from "../../test/requests.ts";
import { A2AError, toError1 } from "./a2a-error.ts";
import { writeFailure } from "./json-rpc.ts";
import { parseCall } from "./parse-call.ts";

describe("choice of the version [a2a.version-negotiation]", () => {
  it.each([
    ["message/send", undefined, "0.3"],
    ["message/send", "", "0.3"],
    ["message/send", "0.3", "0.3"],
    ["message/send", " 0.3.0 ", "0.3"],
    ["message/send", "0.2", "0.2"],
    ["message/send", "0.2.5", "0.2"],
    ["message/send", "1.0", "0.3"],
    ["SendMessage", "1.0", "1.0"],
    ["SendMessage", "1.0.1", "1.0"],
    ["SendMessage", undefined, "1.0"],
    ["SendMessage", "", "1.0"],
    ["SendMessage", "0.3", "1.0"],
  ])("%s with the version %j is read as %s", (method, version, dialect) => {
    const message = method === "SendMessage" ? message1 : message0;
    const parsed = parse(request(method, { message }), version);
    expect(parsed.dialect.version).toBe(dialect);
    expect(parsed.call).toEqual({ op: "send", message: neutral, waits: true });
  });

  it.each(["99.0", "1.1", "2.0", "1", "0.1", "1.0, 0.3", "latest", "__proto__", "-1.0", "1.0.x"])(
    "the version %j is not supported [a2a.version-not-supported]",
    (version) => {
      for (const [method, dialect] of [
        ["SendMessage", "1.0"],
        ["message/send", "0.3"],
        ["nothing", "1.0"],
      ]) {
        expect(errorOf(request(method, {}), version)).toMatchObject({ id: 1, code: -32009, dialect });
      }
    },
  );

  it("an unknown method is told in the dialect of the version", () => {
    expect(errorOf(request("tasks/explode"))).toMatchObject({ code: -32601, dialect: "0.3" });
    expect(errorOf(request("tasks/explode"), "1.0")).toMatchObject({ code: -32601, dialect: "1.0" });
    for (const method of ["constructor", "__proto__", "toString", "tasks/list", "tasks/send"]) {
      expect(errorOf(request(method, {}))).toMatchObject({ code: -32601 });
    }
  });
});

describe("frame of a request [a2a.json-rpc-frame]", () => {
  it.each([
    ["no JSON", "{", -32700, null],
    ["nothing", "", -32700, null],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), -32700, null],
    ["a batch", JSON.stringify([request("tasks/get", { id: "t" })]), -32600, null],
    ["an empty batch", "[]", -32600, null],
    ["a string", '"hi"', -32600, null],
    ["null", "null", -32600, null],
    ["no jsonrpc", '{"id":7,"method":"tasks/get"}', -32600, 7],
    ["another jsonrpc", '{"jsonrpc":"1.0","id":7,"method":"tasks/get"}', -32600, 7],
    ["no method", '{"jsonrpc":"2.0","id":7}', -32600, 7],
    ["an empty method", '{"jsonrpc":"2.0","id":7,"method":""}', -32600, 7],
    ["a number as method", '{"jsonrpc":"2.0","id":7,"method":7}', -32600, 7],
    ["an object as method", '{"jsonrpc":"2.0","id":7,"method":{"method":"x"}}', -32601, 7],
    ["an object as id", '{"jsonrpc":"2.0","id":{},"method":"tasks/get"}', -32600, null],
    ["a boolean as id", '{"jsonrpc":"2.0","id":true,"method":"tasks/get"}', -32600, null],
    ["a number without end as id", '{"jsonrpc":"2.0","id":1e999,"method":"tasks/get"}', -32600, null],
    ["a long id", `{"jsonrpc":"2.0","id":"${"x".repeat(257)}","method":"tasks/get"}`, -32600, null],
    ["params in an array", '{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":[1]}', -32602, 7],
    ["params as a string", '{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":"t"}', -32602, 7],
    ["a field without a name", '{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"":1,"id":"t"}}', -32602, 7],
    ["half of a surrogate pair", '{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"\\ud800"}}', -32602, 7],
    ["a number without end", '{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"t","a":1e999}}', -32602, 7],
  ])("%s is refused", (...[, body, code, id]) => {
    const { error, dialect, ...parsed } = parseCall(body);
    expect(parsed.id).toBe(id);
    expect(error && dialect.writeError(error).code).toBe(code);
  });

  it("params that nest deeply are refused, and so are 100,000 levels", () => {
    for (const levels of [64, 100_000]) {
      const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
      const { error } = parseCall(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t","a":${deep}}}`);
      expect(error?.message).toBe("params nests deeper than 64 levels.");
    }
  });

  it("a request without an id is answered, with the id null", () => {
    const { id, call } = parseCall('{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"t"}}');
    expect({ id, call }).toEqual({ id: null, call: { op: "get", id: "t" } });
  });

  it("ids come back as they are: strings, numbers and null", () => {
    for (const id of ["a", "", 0, -1, 1.5, null]) expect(parse(request("tasks/get", { id: "t" }, id)).id).toBe(id);
  });

  it("frame of a request of a name that comes twice the last one counts, and names of the prototype are plain names", () => {
    const { call } = parseCall(
      '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"a","id":"b","__proto__":{"historyLength":1}}}',
    );
    expect(call).toEqual({ op: "get", id: "b" });
    expect(parse(JSON.parse('{"__proto__":{"jsonrpc":"2.0"},"method":"tasks/get"}')).error?.kind).toBe(
      "invalid-request",
    );
  });
});

describe("errors on the wire [a2a.error-data]", () => {
  it("an error of 1.0 has an array of typed details, with the reason of an error of A2A", () => {
    const { code, data } = toError1(new A2AError("unsupported-operation", "Not offered."));
    expect({ code, data }).toEqual({
      code: -32004,
      data: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "UNSUPPORTED_OPERATION",
          domain: "a2a-protocol.org",
          metadata: {},
        },
      ],
    });
    expect(errorOf(request("GetTask", {})).data).toEqual([
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "INVALID_REQUEST",
        domain: "troupe",
        metadata: {},
      },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "params.id", description: "params.id must be a string that is not blank." }],
      },
    ]);
  });

  it("an error of 0.x has our code and the field", () => {
    const { id, dialect, error } = parse(request("tasks/get", {}));
    expect(error && JSON.parse(writeFailure(id, dialect.writeError(error)))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32602,
        message: "params.id must be a string that is not blank.",
        data: { code: "invalid_request", field: "params.id" },
      },
    });
  });
});

describe("the methods of each version", () => {
  const message = { "0.3": message0, "1.0": message1 } as const;
  const ids = { taskId: "t", id: "c" };
  it.each<[string, "0.3" | "1.0", string, object]>([
    ["message/send", "0.3", "send", { message: message["0.3"] }],
    ["message/stream", "0.3", "stream", { message: message["0.3"] }],
    ["tasks/get", "0.3", "get", { id: "t" }],
    ["tasks/cancel", "0.3", "cancel", { id: "t" }],
    ["tasks/resubscribe", "0.3", "subscribe", { id: "t" }],
    [
      "tasks/pushNotificationConfig/set",
      "0.3",
      "set-push",
      { taskId: "t", pushNotificationConfig: { url: "https://a.example" } },
    ],
    ["tasks/pushNotificationConfig/get", "0.3", "get-push", { id: "t", pushNotificationConfigId: "c" }],
    ["tasks/pushNotificationConfig/list", "0.3", "list-push", { id: "t" }],
    ["tasks/pushNotificationConfig/delete", "0.3", "delete-push", { id: "t", pushNotificationConfigId: "c" }],
    ["agent/getAuthenticatedExtendedCard", "0.3", "extended-card", {}],
    ["SendMessage", "1.0", "send", { message: message["1.0"] }],
    ["SendStreamingMessage", "1.0", "stream", { message: message["1.0"] }],
    ["GetTask", "1.0", "get", { id: "t" }],
    ["CancelTask", "1.0", "cancel", { id: "t" }],
    ["ListTasks", "1.0", "list", {}],
    ["SubscribeToTask", "1.0", "subscribe", { id: "t" }],
    ["CreateTaskPushNotificationConfig", "1.0", "set-push", { taskId: "t", url: "https://a.example" }],
    ["GetTaskPushNotificationConfig", "1.0", "get-push", ids],
    ["ListTaskPushNotificationConfigs", "1.0", "list-push", { taskId: "t" }],
    ["DeleteTaskPushNotificationConfig", "1.0", "delete-push", ids],
    ["GetExtendedAgentCard", "1.0", "extended-card", {}],
  ])("%s of %s is %s", (...[method, version, op, params]) => {
    const body = JSON.stringify(request(method, params));
    const { call, error, dialect } = parseCall(body, version, true);
    expect([error?.message, call?.op, dialect.version]).toEqual([undefined, op, version]);
    const without = parseCall(body, version);
    const isPush = op.endsWith("-push");
    expect([without.error?.kind, without.error?.message]).toEqual(
      isPush
        ? ["push-not-supported", "This agent sends no push notifications. Stream or poll the task instead."]
        : [undefined, undefined],
    );
  });

  it("a method of the other version, and a version that is not spoken, have their messages", () => {
    expect(errorOf(request("nothing"))).toMatchObject({
      message: "This method is not known. It may be one of another version of A2A.",
    });
    expect(parse(request("GetTask", { id: "t" }), "9.9").error).toMatchObject({
      message: "This version of A2A is not supported. Supported are 0.2, 0.3, 1.0.",
      fields: { supported: "0.2, 0.3, 1.0" },
    });
  });
});
