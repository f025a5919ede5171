import { describe, expect, it } from "vitest";
import { errorCodes, TroupeError } from "../base/errors/troupe-error.ts";
import type { ErrorCode } from "../base/errors/troupe-error.ts";
import { createLogger } from "../base/log/logger.ts";
import { logRunFailure, toPublicFailure } from "./public-failure.ts";
import { toRunError } from "./public-run.ts";

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
    "with the code %s is logged as %s",
    (code, level) => {
      const lines = logged(new TroupeError(code, "Why."));
      const message = level === "error" ? "A request failed by a fault of the service." : "A request failed.";
      const entry = { level, message, error: { code } };
      expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(level === "nothing" ? [] : [entry]);
    },
  );
});

describe("a failure as clients see it", () => {
  const usage = { promptTokens: 1, completionTokens: 0, totalTokens: 1 };

  it.each([
    [usage, { usage }],
    [{ ...usage, cachedTokens: 1 }, { usage: { ...usage, cachedTokens: 1 } }],
    [{ ...usage, totalTokens: 0 }, {}],
  ])("has the usage %j of its run as %j", (given, shown) => {
    const error = toRunError({ code: "timeout", message: "Late." }, "r", { usage: given });
    expect(toPublicFailure(error)).toStrictEqual({ code: "timeout", message: "Late.", runId: "r", ...shown });
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
