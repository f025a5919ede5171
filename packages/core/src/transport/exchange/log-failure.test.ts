import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import { keyHeaders } from "../../model/keys/key-headers.ts";
import { expect, it } from "vitest";
import { logFailure } from "./log-failure.ts";
import type { FailedRun } from "./log-failure.ts";

/** Logs a failure, and returns the entries. */
function logged(error: TroupeError, headers: Record<string, string> = {}, run?: FailedRun): Record<string, unknown>[] {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  logFailure(error, { logger, requestId: "q1", headers }, run);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it("logFailure names the request, and the run where there is one", () => {
  const error = new TroupeError("internal", "It broke.");

  expect(logged(error, {}, { runId: "r1" })).toMatchObject([{ level: "error", requestId: "q1", runId: "r1" }]);
  const [plain] = logged(new TroupeError("model_failed", "It broke."));
  expect(plain).toMatchObject({ level: "warn", requestId: "q1" });
  expect(plain).not.toHaveProperty("runId");
  expect(logged(new TroupeError("not_found", "Gone."))).toEqual([]);
});

it.each([...keyHeaders, "x-groq-api-key", "authorization"])("logFailure hides what the header %s holds", (name) => {
  const [entry] = logged(new TroupeError("internal", "Key secret-1234567 failed."), { [name]: "secret-1234567" });

  expect(JSON.stringify(entry)).toContain(" failed.");
  expect(JSON.stringify(entry)).not.toContain("secret-1234567");
});

it("logFailure hides the keys of the run, of each vendor", () => {
  const run = { runId: "r1", apiKey: "one-12345678", apiKeys: { openai: "two-12345678", google: "three-12345678" } };
  const [entry] = logged(new TroupeError("internal", "one-12345678 two-12345678 three-12345678 end"), {}, run);

  expect(JSON.stringify(entry)).toContain("end");
  expect(JSON.stringify(entry)).not.toContain("-12345678");
});
