import { describe, expect, it } from "vitest";
import { eventIdsOf } from "./event-ids.ts";
import type { RunContext } from "./run-context.ts";

describe("eventIdsOf", () => {
  it.each([
    [{ parentRunId: "p", delegationId: "d", userId: "ada", tenantId: "acme" }],
    [{ parentRunId: "p" }],
    [{ userId: "ada" }],
    [{}],
  ])("returns the ids of a run and nothing else: %j", (facts) => {
    const context = { runId: "r", sessionId: "s", agentName: "a", metadata: { secret: 1 }, toolCallId: "t", ...facts };

    expect(eventIdsOf(context as unknown as RunContext)).toStrictEqual({ runId: "r", sessionId: "s", ...facts });
  });
});
