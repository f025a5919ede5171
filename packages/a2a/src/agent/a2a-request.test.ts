import { describe, expect, it } from "vitest";
import type { A2AMessage } from "../wire/task.ts";
import { readA2ARequest, toRunMetadata } from "./a2a-request.ts";

const message: A2AMessage = {
  messageId: "m",
  role: "user",
  parts: [{ kind: "text", text: "canary" }],
  taskId: "t",
  contextId: "c",
};
const facts = { metadata: { a: 1 }, extensions: ["e"], referenceTaskIds: ["r"] };

describe("the metadata of the run that a message begins", () => {
  it("have the message without its content and its place, and the host's own", () => {
    const given = { outputModes: ["text/plain"], ofHost: { version: "1.0", a2a: "the client's" } };
    const a2a = { messageId: "m", ...facts, acceptedOutputModes: ["text/plain"] };
    expect(toRunMetadata({ ...message, ...facts }, given)).toStrictEqual({ version: "1.0", a2a });
    expect(given.ofHost).toEqual({ version: "1.0", a2a: "the client's" });
  });

  it("have no more than was sent", () => {
    const none = { outputModes: undefined, ofHost: undefined };
    expect(toRunMetadata(message, none)).toStrictEqual({ a2a: { messageId: "m" } });
    expect(toRunMetadata(message, { ...none, outputModes: [] })).toStrictEqual({
      a2a: { messageId: "m", acceptedOutputModes: [] },
    });
  });
});

describe("the message that began a run", () => {
  it("is read as it was written", () => {
    const metadata = toRunMetadata({ ...message, ...facts }, { outputModes: ["text/plain"], ofHost: undefined });
    expect(readA2ARequest({ metadata })).toBe(metadata["a2a"]);
  });

  it.each([
    [undefined],
    [{}],
    [{ a2a: null }],
    [{ a2a: ["m"] }],
    [{ a2a: {} }],
    [{ a2a: { messageId: 1 } }],
    [{ messageId: "m" }],
  ])("is none in %j", (metadata) => {
    expect(readA2ARequest(metadata === undefined ? {} : { metadata })).toBeUndefined();
  });
});
