import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { event, message, task, taskStates } from "../../test/arbitraries.ts";
import { errorOf, message0, message1, parse, request } from "../../test/requests.ts";
import { problems0, problems1 } from "../../test/schemas.ts";
import { makeCard1 } from "../card/agent-card.ts";
import { A2AError, toError1 } from "./a2a-error.ts";
import { dialect03 } from "./dialect-0.ts";
import { dialect1 } from "./dialect-1.ts";
import { writeResult } from "./json-rpc.ts";

/** JSON as it arrives. */
function wire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function each<Value>(values: fc.Arbitrary<Value>, check: (value: Value) => void): void {
  const property = fc.property(values, (value) => {
    // Not its result, which the property would take for the judgement.
    check(value);
  });
  fc.assert(property, { numRuns: 20 });
}

/** Returns all names of objects' fields, but for those that a client chooses. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name === "metadata" || name === "data" ? [name] : [name, ...namesIn(part)],
  );
}

// The names in front of the titles are those of the requirement table of A2A 1.0.
describe("requirements of A2A 1.0 on what is written [a2a.requirements-1]", () => {
  it("DM-TASK-001, DM-STATUS-001, DM-MSG-001, DM-PART-001, DM-ART-001: tasks have the fields they must have, and no other", () => {
    each(task, (given) => expect(problems1("Task", wire(dialect1.writeTask(given)))).toEqual([]));
    each(event, (given) => expect(problems1("StreamResponse", wire(dialect1.writeEvent(given)))).toEqual([]));
    each(message, (given) => {
      expect(problems1("SendMessageResponse", wire(dialect1.writeAnswer({ type: "message", message: given })))).toEqual(
        [],
      );
    });
  });

  it("DM-TASK-002, DM-SERIAL-002: states are the values of the protocol, as strings", () => {
    const written = taskStates.map((state) => {
      const update = wire(
        dialect1.writeEvent({ type: "status", taskId: "t", contextId: "c", status: { state, at: 0 } }),
      ) as { statusUpdate: { status: { state: string } } };
      return update.statusUpdate.status.state;
    });
    expect(written).toEqual([
      "TASK_STATE_SUBMITTED",
      "TASK_STATE_WORKING",
      "TASK_STATE_INPUT_REQUIRED",
      "TASK_STATE_AUTH_REQUIRED",
      "TASK_STATE_COMPLETED",
      "TASK_STATE_CANCELED",
      "TASK_STATE_FAILED",
      "TASK_STATE_REJECTED",
    ]);
  });

  it("DM-MSG-002: roles are ROLE_USER and ROLE_AGENT", () => {
    const roles = (["user", "agent"] as const).map((role) => {
      const parts = [{ kind: "text" as const, text: "a" }];
      return wire(dialect1.writeAnswer({ type: "message", message: { messageId: "m", role, parts } }));
    });
    expect(roles).toMatchObject([{ message: { role: "ROLE_USER" } }, { message: { role: "ROLE_AGENT" } }]);
  });

  it("DM-SERIAL-001: names are in camel case", () => {
    each(task, (given) => {
      const others = namesIn(wire(dialect1.writeTask(given))).filter((name) => !/^[a-z][a-zA-Z]*$/.test(name));
      expect(others).toEqual([]);
    });
  });

  it("DM-SERIAL-003: times are in UTC with milliseconds", () => {
    const at = Date.UTC(2026, 0, 31, 12, 0, 0, 7);
    const status = { state: "working" as const, at };
    expect(wire(dialect1.writeEvent({ type: "status", taskId: "t", contextId: "c", status }))).toMatchObject({
      statusUpdate: { status: { timestamp: "2026-01-31T12:00:00.007Z" } },
    });
  });

  it("DM-SERIAL-004, CORE-ERR-002: a required field that is missing is refused", () => {
    for (const field of ["messageId", "role", "parts"]) {
      const { code, message: text } = errorOf(request("SendMessage", { message: { ...message1, [field]: undefined } }));
      expect(code).toBe(-32602);
      expect(text).toContain(`params.message.${field}`);
    }
    expect(errorOf(request("SendMessage", {})).code).toBe(-32602);
  });

  it("DM-SERIAL-005: fields that are not recognized are ignored", () => {
    expect(parse(request("SendMessage", { message: { ...message1, unknownField: 1 }, other: {} })).call?.op).toBe(
      "send",
    );
  });

  it("CORE-LIST-004: the last page has an empty token, and all four fields are there", () => {
    fc.assert(
      fc.property(fc.array(task, { maxLength: 3 }), (tasks) => {
        const page = wire(dialect1.writePage({ tasks, nextPageToken: "", pageSize: 50, totalSize: tasks.length }));
        expect(problems1("ListTasksResponse", page)).toEqual([]);
        expect(page).toMatchObject({ nextPageToken: "", pageSize: 50, totalSize: tasks.length });
      }),
      { numRuns: 10 },
    );
  });

  it("CORE-ERR-001, JSONRPC-ERR-001, JSONRPC-ERR-002, JSONRPC-ERR-003: errors have code, message and typed details", () => {
    const kinds = [
      ["task-not-found", "TASK_NOT_FOUND"],
      ["task-not-cancelable", "TASK_NOT_CANCELABLE"],
      ["push-not-supported", "PUSH_NOTIFICATION_NOT_SUPPORTED"],
      ["unsupported-operation", "UNSUPPORTED_OPERATION"],
      ["content-type-not-supported", "CONTENT_TYPE_NOT_SUPPORTED"],
      ["extended-card-not-configured", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
      ["version-not-supported", "VERSION_NOT_SUPPORTED"],
    ] as const;
    for (const [kind, reason] of kinds) {
      const error = toError1(new A2AError(kind, "Not so."));
      expect(problems1("Error", wire(error))).toEqual([]);
      expect(error.code).toBeLessThanOrEqual(-32001);
      expect(error.code).toBeGreaterThanOrEqual(-32099);
      expect(error.data).toMatchObject([{ reason, domain: "a2a-protocol.org" }]);
    }
  });

  it("CORE-CAP-001: what is not offered is told by its own error", () => {
    expect(errorOf(request("CreateTaskPushNotificationConfig", { taskId: "t" })).code).toBe(-32003);
  });

  it("VER-SERVER-001, VER-SERVER-002, VER-SERVER-003, VER-CLIENT-002: the version is negotiated", () => {
    expect(errorOf(request("SendMessage", { message: message1 }), "99.0").code).toBe(-32009);
    for (const version of ["1.0", "1.0.1", "1.0.99"]) {
      const { dialect } = parse(request("SendMessage", { message: message1 }), version);
      expect(dialect.version).toBe("1.0");
    }
    expect(parse(request("message/send", { message: message0 }), "").dialect.version).toBe("0.3");
    expect(errorOf("unreadable", "").dialect).toBe("0.3");
  });

  it("JSONRPC-FMT-001, JSONRPC-SVC-001: results are JSON-RPC 2.0, and methods have names in Pascal case", () => {
    expect(JSON.parse(writeResult("r-1", { task: {} }))).toEqual({ jsonrpc: "2.0", id: "r-1", result: { task: {} } });
    for (const [method, op] of [
      ["SendMessage", "send"],
      ["SendStreamingMessage", "stream"],
      ["GetTask", "get"],
      ["CancelTask", "cancel"],
      ["ListTasks", "list"],
      ["SubscribeToTask", "subscribe"],
    ]) {
      expect(parse(request(method, { id: "t", message: message1 }), "1.0").call?.op).toBe(op);
    }
  });

  it("CARD-STRUCT-001, CARD-PROTO-001, CARD-PROTO-002, BIND-FIELD-001: the card declares its interfaces and has no other field", () => {
    const skills = [{ id: "a", name: "a", description: "A.", tags: ["agent"] }];
    const facts = { name: "a", description: "A.", url: "https://example.org/a2a", version: "1.0.0", skills };
    for (const provider of [undefined, { organization: "Example" }]) {
      const card = makeCard1({ ...facts, provider, security: [{ key: [] }], securitySchemes: {} });
      expect(problems1("AgentCard", wire(card))).toEqual([]);
      expect(card.supportedInterfaces.slice(0, 2)).toEqual([
        { url: "https://example.org/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: "https://example.org/a2a/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      ]);
    }
  });
});

describe("expectations of A2A 0.2.5 and 0.3 on what is written [a2a.requirements-0]", () => {
  it("tasks, messages and updates have the fields they must have, and no other", () => {
    each(task, (given) => expect(problems0("Task", wire(dialect03.writeTask(given)))).toEqual([]));
    each(event, (given) => expect(problems0("StreamResponse", wire(dialect03.writeEvent(given)))).toEqual([]));
    each(message, (given) => {
      expect(
        problems0("SendMessageResponse", wire(dialect03.writeAnswer({ type: "message", message: given }))),
      ).toEqual([]);
    });
  });

  it("a request without an id gets its error with the id null, and an empty name in params is -32602", () => {
    expect(errorOf({ jsonrpc: "2.0", method: "message/send", params: {} })).toMatchObject({ id: null, code: -32602 });
    expect(errorOf(request("message/send", { "": "x" }))).toMatchObject({ code: -32602 });
    expect(errorOf({ jsonrpc: "1.0", method: "message/send" })).toMatchObject({ id: null, code: -32600 });
  });

  it("empty parts and a negative length of history are refused", () => {
    expect(errorOf(request("message/send", { message: { ...message0, parts: [] } })).code).toBe(-32602);
    expect(errorOf(request("tasks/get", { id: "t", historyLength: -1 })).code).toBe(-32602);
  });

  it("two requests with one id are two requests", () => {
    for (const id of ["same", "same"]) expect(parse(request("tasks/get", { id: "t" }, id)).id).toBe("same");
  });

  it("a very long text is taken", () => {
    const parts = [{ kind: "text", text: "x".repeat(1_000_000) }];
    expect(parse(request("message/send", { message: { ...message0, parts } })).call?.op).toBe("send");
  });
});
