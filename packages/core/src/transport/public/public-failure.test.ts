import { describe, expect, it } from "vitest";
import { errorCodes, TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import { logRunFailure, toPublicFailure } from "./public-failure.ts";
import { toStoredError } from "./public-run.ts";

/** The codes whose failures are logged, and as what. All others are the client's own. */
const levels: Partial<Record<ErrorCode, "error" | "warn">> = {
  internal: "error",
  invalid_config: "error",
  invalid_value: "error",
  model_failed: "warn",
  structured_output_invalid: "warn",
  storage_unavailable: "warn",
  storage_corrupt: "warn",
  unavailable: "warn",
  timeout: "warn",
  interrupted: "warn",
  crashed: "warn",
};

function logged(error: TroupeError, fields: object = {}, secrets: readonly (string | undefined)[] = []) {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  logRunFailure(error, logger, { secrets, ...fields });
  return lines;
}

describe("a failed request", () => {
  it.each(errorCodes.map((code) => [code, levels[code] ?? "nothing"]))(
    "a failed request with the code %s is logged as %s",
    (code, level) => {
      const lines = logged(new TroupeError(code, "Why."));
      const message = level === "error" ? "A request failed by a fault of the service." : "A request failed.";
      const entry = { level, message, error: { code } };
      expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(level === "nothing" ? [] : [entry]);
    },
  );
});

describe("the log entry of a failed request", () => {
  it.each(["internal", "invalid_config", "invalid_value", "model_failed", "unavailable"] as const)(
    "the log entry of a failed request with the code %s has the fields and the cause, and none of the request's secrets",
    (code) => {
      const [secret, other] = ["horse battery staple", "correct pass phrase"];
      const cause = new Error(`No such key: ${secret}`);
      const error = new TroupeError(code, `The vendor refused ${other}.`, { cause });
      const lines = logged(error, { requestId: "q1", note: secret }, [undefined, secret, other]);

      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toMatch(/staple|phrase/);
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({
        requestId: "q1",
        note: "[redacted]",
        error: {
          code,
          message: "The vendor refused [redacted].",
          cause: { message: "No such key: [redacted]" },
        },
      });
      expect(JSON.parse(lines[0] ?? "")).not.toHaveProperty("secrets");
    },
  );
});

describe("a failure as clients see it", () => {
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

  it.each([
    [usage, { usage }],
    [{ ...usage, cachedTokens: 1 }, { usage: { ...usage, cachedTokens: 1 } }],
    [{ ...usage, providerMetrics: { region: "eu" } }, { usage }],
    [{ ...usage, totalTokens: 0 }, {}],
  ])("has the usage %j of its run as %j", (given, shown) => {
    const error = toStoredError({ code: "timeout", message: "Late." }, "r", { usage: given });
    expect(toPublicFailure(error)).toStrictEqual({ code: "timeout", message: "Late.", runId: "r", ...shown });
  });

  it("has the id and the usage of its run in place of fields of the same names", () => {
    const error = toStoredError({ code: "timeout", message: "Late.", runId: "x", usage: "y" }, "r", { usage });
    expect(toPublicFailure(error)).toStrictEqual({ code: "timeout", message: "Late.", runId: "r", usage });
  });

  it("has the fields of an error without a run, and of no failure of the service itself", () => {
    const fields = { limit: 3 };
    expect(toPublicFailure(new TroupeError("rate_limited", "Wait.", { fields }))).toStrictEqual({
      code: "rate_limited",
      message: "Wait.",
      limit: 3,
    });
    const own = toPublicFailure(new TroupeError("invalid_config", "sk-secret", { fields: { path: "/etc" } }));
    expect(own).toStrictEqual({ code: "invalid_config", message: "Something went wrong in this service." });
  });
});
