import * as sdk1 from "a2a-sdk-1";
import type * as sdk02 from "a2a-sdk-02";
import type * as sdk03 from "a2a-sdk-03";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { event, message, task, taskStates } from "../../test/arbitraries.ts";
import { dialect02, dialect03 } from "./dialect-0.ts";
import { dialect1 } from "./dialect-1.ts";
import type { Dialect } from "./dialect.ts";
import type { A2AMessage } from "./task.ts";

const dialects: readonly Dialect[] = [dialect02, dialect03, dialect1];

/** Writes a message and reads it back as a client's. */
function sentAndRead(dialect: Dialect, given: A2AMessage): A2AMessage {
  const written = JSON.parse(JSON.stringify(dialect.writeAnswer({ type: "message", message: given })));
  const call = dialect.readCall("send", { message: dialect === dialect1 ? written.message : written });
  return (call as { message: A2AMessage }).message;
}

/** JSON as it arrives. */
function wire(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

describe.each(dialects)("A2A $version", (dialect) => {
  it("a message that is written and read is the same message [a2a.round-trip]", () => {
    fc.assert(
      fc.property(message, (given) => {
        expect(sentAndRead(dialect, given)).toEqual(given);
      }),
    );
  });
});

describe("A2A 1.0 as the official SDK reads it", () => {
  it("tasks, messages and events are read without loss [a2a.shapes-1]", () => {
    fc.assert(
      fc.property(task, event, (aTask, anEvent) => {
        const written = wire(dialect1.writeTask(aTask));
        expect(plain(sdk1.Task.toJSON(sdk1.Task.fromJSON(written)))).toEqual(plain(written));
        const frame = wire(dialect1.writeEvent(anEvent));
        expect(plain(sdk1.StreamResponse.toJSON(sdk1.StreamResponse.fromJSON(frame)))).toEqual(plain(frame));
      }),
      { numRuns: 50 },
    );
  });

  it("what its messages are written as is read without loss", () => {
    fc.assert(
      fc.property(message, fc.boolean(), fc.option(fc.nat(100)), (given, returnImmediately, historyLength) => {
        const { message: written } = wire(dialect1.writeAnswer({ type: "message", message: given }));
        const configuration = { returnImmediately, ...(historyLength !== null && { historyLength }) };
        const request = sdk1.SendMessageRequest.fromJSON({ message: written, configuration, tenant: "helper" });
        const call = dialect1.readCall("stream", wire(sdk1.SendMessageRequest.toJSON(request)));
        expect(call).toEqual({
          op: "stream",
          message: withoutEmpty(given),
          waits: !returnImmediately,
          tenant: "helper",
          ...(historyLength !== null && { historyLength }),
        });
      }),
    );
  });
});

/** The SDK leaves out what is empty. */
function withoutEmpty(value: A2AMessage): unknown {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => !(Array.isArray(part) && part.length === 0)));
}

/** JSON without empty arrays and empty strings at the places where the SDK leaves out default values. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, part]): [string, unknown] =>
    name === "metadata" || name === "data" ? [name, part] : [name, plain(part)],
  );
  return Object.fromEntries(entries.filter(([, part]) => part !== "" && !(Array.isArray(part) && part.length === 0)));
}

describe("A2A 0.x as the official SDKs declare it", () => {
  it("tasks, messages, updates and errors have the types of 0.2.5 and 0.3 [a2a.shapes-0]", () => {
    fc.assert(
      fc.property(task, event, (aTask, anEvent) => {
        const written = dialect03.writeTask(aTask);
        const ofTwo: sdk02.Task = written;
        const ofThree: sdk03.Task = written;
        expect(ofTwo.kind).toBe(ofThree.kind);
        const frame = dialect03.writeEvent(anEvent);
        const twoEvent: sdk02.Task | sdk02.Message | sdk02.TaskStatusUpdateEvent | sdk02.TaskArtifactUpdateEvent =
          frame;
        const threeEvent: sdk03.Task | sdk03.Message | sdk03.TaskStatusUpdateEvent | sdk03.TaskArtifactUpdateEvent =
          frame;
        expect(twoEvent.kind).toBe(threeEvent.kind);
      }),
      { numRuns: 50 },
    );
  });

  it("the last status of a stream says so, also where the task waits for its client [a2a.final]", () => {
    const finals = taskStates.filter((state) => {
      const update = wire(
        dialect03.writeEvent({ type: "status", taskId: "t", contextId: "c", status: { state, at: 0 } }),
      );
      expect(update.final).toBe(dialect03.endsStream(state));
      return update.final;
    });
    expect(finals).toEqual(["input-required", "auth-required", "completed", "canceled", "failed", "rejected"]);
  });

  it("takes parts without a kind, with a type in its place, and files under the names of older documents", () => {
    const parts = [
      { text: "" },
      { type: "text", text: "b" },
      { kind: "file", file: { fileWithBytes: "AQID", mimeType: "image/png", name: "a.png" } },
      { file: { fileWithUri: "https://example.org/a" } },
      { kind: "file", file: { bytes: "_-8", name: null } },
      { data: { a: 1 } },
    ];
    const call = dialect02.readCall("send", { message: { messageId: "m", role: "user", parts, taskId: "" } });
    expect(call).toEqual({
      op: "send",
      waits: true,
      message: {
        messageId: "m",
        role: "user",
        parts: [
          { kind: "text", text: "" },
          { kind: "text", text: "b" },
          { kind: "bytes", base64: "AQID", mediaType: "image/png", filename: "a.png" },
          { kind: "url", url: "https://example.org/a" },
          { kind: "bytes", base64: "/+8=" },
          { kind: "data", data: { a: 1 } },
        ],
      },
    });
  });

  it("data that is no object goes into one, as 0.x has only objects", () => {
    const parts = [{ kind: "data" as const, data: [1, 2] }];
    const written = dialect03.writeEvent({ type: "message", message: { messageId: "m", role: "agent", parts } });
    expect(written).toMatchObject({ parts: [{ kind: "data", data: { value: [1, 2] } }] });
  });
});
