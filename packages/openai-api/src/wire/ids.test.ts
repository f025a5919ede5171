import { describe, expect, it } from "vitest";
import { parseCallId, parseResponseId, toCallId, toResponseId } from "./ids.ts";

const runId = "0123abcd-0000-4000-8000-00000000000f";
const encode = (text: string) => Buffer.from(text).toString("base64url");

describe("the id of a response", () => {
  it.each([
    { sessionId: "s", runId, part: 0 },
    { sessionId: "a.b:c@d-e_F9", runId, part: 1 },
    { sessionId: "s".repeat(128), runId, part: 9999 },
  ])("the id of a response of $sessionId, $part is opaque, and is read again", (name) => {
    expect(toResponseId(name)).toMatch(/^resp_[\w-]+$/);
    expect(parseResponseId(toResponseId(name))).toEqual(name);
  });

  it("is the same as ever, because clients keep it", () => {
    expect(toResponseId({ sessionId: "s", runId, part: 0 })).toBe(`resp_${encode(`s/${runId}`)}`);
    expect(toResponseId({ sessionId: "s", runId, part: 2 })).toBe(`resp_${encode(`s/${runId}/2`)}`);
  });

  it.each([
    "",
    "resp_",
    encode(`s/${runId}`),
    `call_${encode(`s/${runId}`)}`,
    `resp_${encode(`s/${runId}/1/x`)}`,
    `resp_${encode(`s/${runId}/`)}`,
    `resp_${encode(`s/${runId}/x`)}`,
    `resp_${encode(`s/${runId}/10000`)}`,
    `resp_${encode(`s/${runId}/-1`)}`,
    `resp_${encode(`/${runId}`)}`,
    `resp_${encode(`é/${runId}`)}`,
    `resp_${encode(`${"s".repeat(129)}/${runId}`)}`,
    `resp_${encode("s")}`,
    `resp_${encode(`s/${runId}0`)}`,
    `resp_${encode(`s/0${runId}`)}`,
    `resp_${encode(`s/${runId.toUpperCase()}`)}`,
    `resp_${encode(`s/${runId.slice(1)}`)}`,
  ])("is not %j", (id) => {
    expect(parseResponseId(id)).toBeUndefined();
  });
});

describe("the id of a call", () => {
  it.each(["w", "c/1/é", "/"])(
    "the id of a call about the question %j is read again, only under its own prefix",
    (waitId) => {
      expect(parseCallId(toCallId({ runId, waitId }))).toEqual({ runId, waitId });
      expect(parseCallId(toCallId({ runId, waitId }, "mcpr_"), "mcpr_")).toEqual({ runId, waitId });
      expect(parseCallId(toCallId({ runId, waitId }, "mcpr_"))).toBeUndefined();
      expect(parseCallId(toCallId({ runId, waitId }), "mcpr_")).toBeUndefined();
    },
  );

  it.each([7, null, undefined, "", "call_", "call_x", `call_${encode(runId)}`, `call_${encode(`x${runId}/w`)}`])(
    "is not %j",
    (id) => {
      expect(parseCallId(id)).toBeUndefined();
    },
  );

  it("has at most 512 characters", () => {
    const longest = toCallId({ runId, waitId: "w".repeat(343) });

    expect(longest).toHaveLength(512);
    expect(parseCallId(longest)).toBeDefined();
    expect(parseCallId(toCallId({ runId, waitId: "w".repeat(344) }))).toBeUndefined();
  });
});
