import type { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { problemOfStatus, serviceError } from "./service-error.ts";
import type { ServiceProblem } from "./service-error.ts";

const wordings: Readonly<Record<ServiceProblem, readonly [code: string, message: string]>> = {
  blocked: ["forbidden", "X blocked this automated request. Do not repeat it soon: use another tool."],
  credential_missing: ["unauthorized", "X needs a credential. Configure it."],
  credential_refused: [
    "unauthorized",
    "X refused the credential, which may be wrong, expired or revoked. Calling again does not help: a new one has to be configured.",
  ],
  forbidden: ["forbidden", "X does not allow this request. The credential or the account may lack a permission."],
  quota_exceeded: [
    "rate_limited",
    "X refused the request because the quota of the account is used up. Calling again does not help until the quota is renewed or raised.",
  ],
  rate_limited: ["rate_limited", "X gets too many requests. Wait a minute before the next call."],
  not_found: ["not_found", "X has nothing of this name. Check the arguments."],
  refused: ["invalid_request", "X refused the request. Change the arguments."],
  unavailable: ["unavailable", "X does not work at the moment. Try again later."],
  unreachable: [
    "unavailable",
    "X cannot be reached, or the connection broke off. Try again, and check the network if it fails again.",
  ],
  timeout: ["timeout", "X did not answer in time. Try again later, or raise timeoutMs of the toolkit."],
  unreadable: ["unavailable", "X sent an answer that cannot be read. Try again later."],
  too_large: ["unavailable", "X sent an answer that is too large. Ask for less."],
  outcome_unknown: [
    "unavailable",
    "X did not confirm the request, which may have been carried out all the same. Do not repeat it before you know.",
  ],
  redirected: ["unavailable", "X answered with a redirect, which is not followed. Check baseURL of the toolkit."],
};

/** Returns the fields of an error that callers see. */
const shown = ({ code, message, fields, cause }: TroupeError) => ({ code, message, fields, cause });

describe("serviceError", () => {
  it.each(Object.entries(wordings))("words %s with its code and advice", (problem, [code, message]) => {
    expect(shown(serviceError("X", { problem: problem as ServiceProblem }))).toEqual({
      code,
      message,
      fields: { service: "X", problem },
      cause: undefined,
    });
  });

  it.each([
    [0, "Wait 1 second before the next call."],
    [1000, "Wait 1 second before the next call."],
    [1001, "Wait 2 seconds before the next call."],
    [90_000, "Wait 90 seconds before the next call."],
  ])("advises to wait for %i ms in whole seconds, at least one", (retryAfterMs, advice) => {
    expect(shown(serviceError("X", { problem: "rate_limited", status: 429, retryAfterMs }))).toEqual({
      code: "rate_limited",
      message: `X gets too many requests (status 429). ${advice}`,
      fields: { service: "X", problem: "rate_limited", status: 429, retryAfterMs },
      cause: undefined,
    });
  });

  it("takes its own words before the usual ones and the time to wait, and names the network's code as the cause", () => {
    const failure = { problem: "unreachable", happened: "is away", advice: "Stop.", retryAfterMs: 5 } as const;
    const error = serviceError("X", { ...failure, networkCode: "ECONNRESET" });

    expect(error.message).toBe("X is away. Stop.");
    expect(error.fields).toEqual({ service: "X", problem: "unreachable", retryAfterMs: 5 });
    expect(error.cause).toMatchObject({ code: "ECONNRESET", message: "The network failed with ECONNRESET." });
  });
});

it.each<[number, ServiceProblem]>([
  [200, "unreadable"],
  [399, "unreadable"],
  [400, "refused"],
  [401, "credential_refused"],
  [402, "quota_exceeded"],
  [403, "forbidden"],
  [404, "not_found"],
  [405, "refused"],
  [408, "unavailable"],
  [410, "not_found"],
  [422, "refused"],
  [429, "rate_limited"],
  [499, "refused"],
  [500, "unavailable"],
  [599, "unavailable"],
])("status %i stands for %s", (status, problem) => {
  expect(problemOfStatus(status)).toBe(problem);
});
