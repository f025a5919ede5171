import { errorCodes, TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { A2AError, httpStatusOf, stateOfFailure, toA2AError, toError0, toError1, wrongParam } from "./a2a-error.ts";
import type { A2AErrorKind } from "./a2a-error.ts";

/** The code of each error on the wire. */
const wireCodes: Record<A2AErrorKind, number> = {
  "parse-error": -32700,
  "invalid-request": -32600,
  "method-not-found": -32601,
  "invalid-params": -32602,
  internal: -32603,
  "task-not-found": -32001,
  "task-not-cancelable": -32002,
  "push-not-supported": -32003,
  "unsupported-operation": -32004,
  "content-type-not-supported": -32005,
  "extended-card-not-configured": -32007,
  "version-not-supported": -32009,
};

/** The code on the wire for each of ours, and where it differs for a call about a task. */
const ownCodes: Record<ErrorCode, number | [request: number, task: number]> = {
  invalid_request: -32602,
  unauthorized: -32600,
  forbidden: -32600,
  not_found: [-32602, -32001],
  conflict: [-32602, -32002],
  payload_too_large: -32602,
  unsupported_media_type: -32005,
  guardrail_blocked: -32602,
  rate_limited: -32603,
  cancelled: -32603,
  gone: -32001,
  idempotency_mismatch: -32602,
  interrupted: -32603,
  crashed: -32603,
  internal: -32603,
  model_failed: -32603,
  structured_output_invalid: -32603,
  context_too_long: -32603,
  storage_unavailable: -32603,
  storage_corrupt: -32603,
  unavailable: -32603,
  timeout: -32603,
  limit_exceeded: -32603,
  invalid_config: -32603,
  invalid_value: -32603,
};

describe("errors [a2a.error-codes]", () => {
  it.each(Object.entries(wireCodes))("%s is the code %i in every version", (kind, code) => {
    const error = new A2AError(kind as A2AErrorKind, "It is so.");
    for (const write of [toError0, toError1]) expect(write(error)).toMatchObject({ code, message: "It is so." });
    expect(httpStatusOf(error)).toBe(200);
  });

  it("an error of A2A has its reason in an array of details in 1.0", () => {
    for (const [kind, code] of Object.entries(wireCodes)) {
      const { data } = toError1(new A2AError(kind as A2AErrorKind, "It is so.", { taskId: "t", at: 1 }));
      const isOfA2A = code > -32600;
      expect(data).toEqual([
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: expect.stringMatching(/^[A-Z][A-Z_]+$/),
          domain: isOfA2A ? "a2a-protocol.org" : "troupe",
          metadata: { taskId: "t", at: "1" },
        },
      ]);
    }
  });

  it.each(errorCodes)("the code %s of a failure has its code on the wire", (code) => {
    const expected = ownCodes[code];
    const [ofRequest, ofTask] = typeof expected === "number" ? [expected, expected] : expected;
    const error = new TroupeError(code, "Something.");
    expect(toError1(toA2AError(error)).code).toBe(ofRequest);
    expect(toError1(toA2AError(error, "task")).code).toBe(ofTask);
    expect(httpStatusOf(toA2AError(error))).toBe({ unauthorized: 401, forbidden: 403 }[code as string] ?? 200);
  });

  it("have their own code beside their fields in 0.x, and the reason in 1.0", () => {
    const written = Object.keys(wireCodes).map((kind) => {
      const error = new A2AError(kind as A2AErrorKind, "It is so.", { taskId: "t" });
      const [info] = toError1(error).data as [{ reason: string }];
      expect(toError0(error).data).toEqual({ code: error.code, taskId: "t" });
      return [kind, error.code, info.reason];
    });
    expect(written).toEqual([
      ["parse-error", "invalid_request", "INVALID_REQUEST"],
      ["invalid-request", "invalid_request", "INVALID_REQUEST"],
      ["method-not-found", "invalid_request", "INVALID_REQUEST"],
      ["invalid-params", "invalid_request", "INVALID_REQUEST"],
      ["internal", "internal", "INTERNAL"],
      ["task-not-found", "not_found", "TASK_NOT_FOUND"],
      ["task-not-cancelable", "conflict", "TASK_NOT_CANCELABLE"],
      ["push-not-supported", "invalid_request", "PUSH_NOTIFICATION_NOT_SUPPORTED"],
      ["unsupported-operation", "invalid_request", "UNSUPPORTED_OPERATION"],
      ["content-type-not-supported", "unsupported_media_type", "CONTENT_TYPE_NOT_SUPPORTED"],
      ["extended-card-not-configured", "invalid_request", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
      ["version-not-supported", "invalid_request", "VERSION_NOT_SUPPORTED"],
    ]);
  });

  it("errors of core keep their code, and of a wrong parameter its field", () => {
    const limited = toA2AError(new TroupeError("rate_limited", "Wait.", { fields: { retryAfterMs: 7 } }));
    const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", domain: "troupe" };
    expect(toError0(limited).data).toMatchObject({ code: "rate_limited" });
    expect(toError1(limited).data).toMatchObject([{ ...info, reason: "RATE_LIMITED" }]);
    const wrong = wrongParam("params.id", "a string");
    expect(toError0(wrong).data).toEqual({ code: "invalid_request", field: "params.id" });
    expect(toError1(wrong)).toEqual({
      code: -32602,
      message: "params.id must be a string.",
      data: [
        { ...info, reason: "INVALID_REQUEST", metadata: {} },
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [{ field: "params.id", description: "params.id must be a string." }],
        },
      ],
    });
  });

  it("what anything else throws is hidden", () => {
    for (const thrown of [new Error("s3cret"), "s3cret", { code: "not_found", message: "s3cret" }, null]) {
      const { code, message, data } = toError0(toA2AError(thrown, "task"));
      expect({ code, message, data }).toEqual({
        code: -32603,
        message: "Something went wrong in this service.",
        data: { code: "internal" },
      });
    }
    const hidden = toA2AError(new TroupeError("storage_unavailable", "Cannot open /var/s3cret.db."));
    expect(JSON.stringify([toError0(hidden), toError1(hidden)])).not.toContain("s3cret");
  });

  it("a failed run leaves its task failed, rejected by a guardrail or canceled", () => {
    const others = errorCodes.filter((code) => stateOfFailure(code) !== "failed");
    expect(others.map((code) => [code, stateOfFailure(code)])).toEqual([
      ["guardrail_blocked", "rejected"],
      ["cancelled", "canceled"],
    ]);
    expect(stateOfFailure("constructor" as ErrorCode)).toBe("failed");
  });
});
